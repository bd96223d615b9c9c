// Makes UTF-8 of a file in another encoding, input by input. Native code decodes; this module owns
// what a mark at the start means, and how the parser hears of a malformed sequence: as bytes that
// are not UTF-8, so that the policy of such rows decides, with the position of the row.

import { optionInvalid } from '../../options'
import { START_BYTES } from '../body-kind'

/** A mark at the start of a file comes before the encoding that is given (Encoding Standard, 6). */
const MARKS = { 'utf-8': '\xef\xbb\xbf', 'utf-16le': '\xff\xfe', 'utf-16be': '\xfe\xff' }
/** How the decoder writes a malformed sequence, as UTF-8. */
const REPLACEMENT = Buffer.from('\ufffd')
/** The beginning of a character of four bytes: no UTF-8, which decoders read as one U+FFFD. */
const MALFORMED = [0xf0, 0x90, 0x80]
const NOTHING = new Uint8Array()
/**
 * What Windows-1252 has where Latin-1 has control characters, 0x80 to 0x9f. Node 20.18.3, 22.13 and
 * others decode it as Latin-1.
 */
const BEYOND_LATIN1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Returns the text of bytes that follow those of the call before. */
type Decoder = (bytes: Buffer, isLast: boolean) => string

/**
 * Checks the name of an encoding. Returns undefined for UTF-8, which needs no other.
 * @throws FeedError OPTION_INVALID
 */
export function encodingOf(option: string, name: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(name)
    if (typeof name === 'string') return encoding === 'utf-8' ? undefined : encoding
  } catch {
    // It throws for a name that this build of Node does not know.
  }
  throw optionInvalid(option, "an encoding that TextDecoder knows, such as 'windows-1252'", name)
}

export class Utf8Input {
  /** The first bytes of the file as they are, once there are enough; undefined in UTF-16. */
  start: Uint8Array | undefined
  readonly #encoding: string
  #decoder: Decoder | undefined
  /** The first bytes, until they are enough to say what the file is. */
  #first: Uint8Array = NOTHING

  /** @param encoding as `encodingOf` returns it */
  constructor(encoding: string) {
    this.#encoding = encoding
  }

  /**
   * Returns these bytes as UTF-8, without a character that is cut off at their end.
   * @param isLast true where no bytes follow
   */
  push(bytes: Uint8Array, isLast = false): Uint8Array {
    const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (this.#decoder !== undefined) return toUtf8(this.#decoder(input, isLast))
    const start = Buffer.concat([this.#first, input])
    this.#first = start
    if (start.length < START_BYTES && !isLast) return NOTHING
    this.#first = NOTHING
    const first = start.toString('latin1', 0, START_BYTES)
    const marked = Object.entries(MARKS).find(([, mark]) => first.startsWith(mark))
    const encoding = marked?.[0] ?? this.#encoding
    if (!encoding.startsWith('utf-16')) this.start = start.subarray(0, START_BYTES)
    this.#decoder = decoderOf(encoding)
    return toUtf8(this.#decoder(start, isLast))
  }
}

function decoderOf(encoding: string): Decoder {
  if (encoding === 'windows-1252')
    return bytes =>
      bytes
        .toString('latin1')
        .replace(/[\x80-\x9f]/g, control => BEYOND_LATIN1[control.charCodeAt(0) - 0x80]!)
  const decoder = new TextDecoder(encoding)
  return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
}

function toUtf8(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  for (let at = bytes.indexOf(REPLACEMENT); at >= 0; at = bytes.indexOf(REPLACEMENT, at + 3))
    bytes.set(MALFORMED, at)
  return bytes
}
