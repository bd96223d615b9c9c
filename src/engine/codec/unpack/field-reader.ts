// Reads the fields of a binary format out of pieces that are cut anywhere. The format is a generator,
// which says what it wants next and gets the bytes of a field in one piece.

/** A field of so many bytes. A skipped one is not kept, so it may have any size. */
export interface Wanted {
  readonly bytes: number
  readonly isKept: boolean
}

/** Instead of a field: data that another reader takes, and whose size only that one knows. */
export const DATA = { bytes: 0, isKept: false } satisfies Wanted

export type Fields = Generator<Wanted, void, Buffer>

export function take(bytes: number): Wanted {
  return { bytes, isKept: true }
}

export function skip(bytes: number): Wanted {
  return { bytes, isKept: false }
}

const NOTHING = Buffer.alloc(0)

export class FieldReader {
  readonly #fields: Fields
  /** The fields begin with the first bytes, because their generator may need what is not made yet. */
  #wanted: Wanted | undefined = take(0)
  #held = NOTHING
  #got = 0
  #fieldOffset = 0

  constructor(fields: Fields) {
    this.#fields = fields
  }

  /** What is read next; undefined behind the last field. */
  get wanted(): Wanted | undefined {
    return this.#wanted
  }

  get fieldOffset(): number {
    return this.#fieldOffset
  }

  get byteOffset(): number {
    return this.#fieldOffset + this.#got
  }

  get isBetweenFields(): boolean {
    return this.#got === 0
  }

  /** Returns how many of the bytes belong to fields: all, unless there is data or the end. */
  read(bytes: Uint8Array): number {
    let used = 0
    while (used < bytes.length && this.#wanted !== undefined && this.#wanted !== DATA) {
      const part = bytes.subarray(used, used + this.#wanted.bytes - this.#got)
      if (this.#wanted.isKept) this.#held.set(part, this.#got)
      this.#got += part.length
      used += part.length
      if (this.#got === this.#wanted.bytes) this.#next()
    }
    return used
  }

  /** Goes on behind data of so many bytes. */
  endData(bytes: number): void {
    this.#got = bytes
    this.#next()
  }

  #next(): void {
    do {
      this.#fieldOffset += this.#got
      this.#got = 0
      const step = this.#fields.next(this.#held)
      this.#wanted = step.done ? undefined : step.value
      this.#held = this.#wanted?.isKept ? Buffer.alloc(this.#wanted.bytes) : NOTHING
    } while (this.#wanted !== undefined && this.#wanted !== DATA && this.#wanted.bytes === 0)
  }
}
