// Text to put before the texts of cells, as a store puts a prefix before its keys. A joined string
// would be copied into one piece when it is first hashed, and both would take memory.

const ROOM_BYTES = 256
const NON_ASCII = 0x80

export class TextPrefix {
  readonly text: string
  /** The prefix, and room for a cell behind it. */
  readonly #bytes: Buffer
  readonly #length: number
  readonly #nonAscii: number

  constructor(text: string) {
    this.text = text
    this.#length = Buffer.byteLength(text)
    this.#nonAscii = this.#length === text.length ? 0 : NON_ASCII
    this.#bytes = Buffer.alloc(this.#length + ROOM_BYTES)
    this.#bytes.write(text)
  }

  /** Returns the prefix and the text of some bytes behind it, as one string. */
  withText(bytes: Buffer, start: number, end: number): string {
    if (end - start > ROOM_BYTES) return this.text + bytes.toString('utf8', start, end)
    const into = this.#bytes
    let length = this.#length
    let all = this.#nonAscii
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      into[length++] = byte
      all |= byte
    }
    return into.toString(all < NON_ASCII ? 'latin1' : 'utf8', 0, length)
  }
}
