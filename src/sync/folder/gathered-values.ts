// The values of a write group: copies, one behind the other in one buffer, which is used again after
// each commit. An array for each value would cost an allocation outside V8's heap for each row.
//
//   length (4 bytes, low byte first) │ bytes │ length │ bytes …

/** The place of a key that is removed. */
export const REMOVED = -1

const LENGTH_BYTES = 4
const LEAST_BYTES = 2 ** 16
const NO_MEMORY = Buffer.alloc(0)

export class GatheredValues {
  #memory = NO_MEMORY
  #end = 0

  /**
   * Copies a value in.
   * @returns its place, which no other value gets before {@link clear}
   */
  add(value: Uint8Array | null): number {
    if (value === null) return REMOVED
    const place = this.#end
    const end = place + LENGTH_BYTES + value.byteLength
    // Where the value is no bytes, `end` is NaN, and the widening throws.
    if (!(end <= this.#memory.length)) this.#widen(end)
    this.#memory.writeUInt32LE(value.byteLength, place)
    this.#memory.set(value, place + LENGTH_BYTES)
    this.#end = end
    return place
  }

  /** Bytes of all values since the last {@link clear}, those that were replaced included. */
  get byteLength(): number {
    return this.#end
  }

  /** Returns the bytes where they lie. They stay until {@link clear}. */
  view(place: number): Uint8Array | null {
    if (place === REMOVED) return null
    const from = place + LENGTH_BYTES
    return this.#memory.subarray(from, from + this.#lengthAt(place))
  }

  /** Returns a copy of a value, or of its first bytes. */
  copyOf(place: number, firstBytes = Number.POSITIVE_INFINITY): Uint8Array {
    const from = place + LENGTH_BYTES
    return new Uint8Array(
      this.#memory.subarray(from, from + Math.min(firstBytes, this.#lengthAt(place))),
    )
  }

  /**
   * Forgets all values.
   * @param freesMemory false keeps the buffer for the next values
   */
  clear(freesMemory = false): void {
    this.#end = 0
    if (freesMemory) this.#memory = NO_MEMORY
  }

  #lengthAt(place: number): number {
    return this.#memory.readUInt32LE(place)
  }

  #widen(bytes: number): void {
    const wider = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes))))
    this.#memory.copy(wider, 0, 0, this.#end)
    this.#memory = wider
  }
}
