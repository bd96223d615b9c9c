// Many small blocks of bytes in few large slabs, outside V8's heap: an array object for each row would cost half as much
// again as the row, and text in V8's heap doubles while its collector waits. Here a block costs 12 bytes and its padding.
// It owns space, not keys: a block is known by a number that stays the same while the block is moved to close up holes.
//
//   slab: │ length │ number │ bytes … pad │ length │ number │ bytes … pad │ … free │      a freed block has the number FREED

/** Bytes in a slab: large enough that the system hands it out as whole pages, small enough to be emptied in passing. */
const SLAB_BYTES = 1 << 20
/** Blocks begin at multiples of this: a place then fits 32 bits up to 32 GiB of slabs. */
const UNIT_BYTES = 8
const SLAB_UNITS = SLAB_BYTES / UNIT_BYTES
const HEADER_BYTES = 8
const FREED = 0xffffffff
/** Holes are closed up when they are this part of all slabs: less costs more copying. */
const WASTE_PART = 1 / 8

interface Slab {
  /** SLAB_BYTES, or more where a single block is larger. */
  readonly bytes: Buffer
  /** Where the next block goes. */
  end: number
  freedBytes: number
}

export class ByteArena {
  readonly #slabs: Slab[] = []
  /** Emptied slabs. They are used again, since V8 gives memory back only when its collector gets to it. */
  readonly #spare: number[] = []
  #current = -1
  #heldBytes = 0
  #freedBytes = 0
  /** Where each block stands, in units, by its number. */
  #places = new Uint32Array(1024)
  #numbers = 0
  readonly #freeNumbers: number[] = []

  /** Bytes of all slabs, holes and free ends included. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Copies a block in. @returns its number */
  put(bytes: Uint8Array): number {
    const number = this.#freeNumbers.pop() ?? this.#newNumber()
    this.#place(number, bytes)
    return number
  }

  /** A copy of a block. */
  get(number: number): Uint8Array {
    const { slab, at } = this.#locate(number)
    return Uint8Array.from(contentAt(slab.bytes, at))
  }

  /** Bytes of a block. */
  lengthOf(number: number): number {
    const { slab, at } = this.#locate(number)
    return slab.bytes.readUInt32LE(at)
  }

  free(number: number): void {
    this.#vacate(number)
    this.#freeNumbers.push(number)
  }

  replace(number: number, bytes: Uint8Array): void {
    this.#vacate(number)
    this.#place(number, bytes)
  }

  #locate(number: number): { slab: Slab; at: number } {
    const place = this.#places[number]!
    return { slab: this.#slabs[Math.floor(place / SLAB_UNITS)]!, at: (place % SLAB_UNITS) * UNIT_BYTES }
  }

  #vacate(number: number): void {
    const { slab, at } = this.#locate(number)
    const size = sizeOf(slab.bytes.readUInt32LE(at))
    slab.bytes.writeUInt32LE(FREED, at + 4)
    slab.freedBytes += size
    this.#freedBytes += size
    if (this.#freedBytes > this.#heldBytes * WASTE_PART + SLAB_BYTES) this.#emptySparsest()
  }

  #place(number: number, bytes: Uint8Array): void {
    const size = sizeOf(bytes.length)
    const slab = this.#slabFor(size)
    const at = slab.end
    slab.bytes.writeUInt32LE(bytes.length, at)
    slab.bytes.writeUInt32LE(number, at + 4)
    slab.bytes.set(bytes, at + HEADER_BYTES)
    slab.end += size
    this.#places[number] = this.#current * SLAB_UNITS + at / UNIT_BYTES
  }

  #slabFor(size: number): Slab {
    const current = this.#slabs[this.#current]
    // No block begins past SLAB_BYTES, also not in a larger slab that is used again: its place would read as another slab's.
    if (current !== undefined && current.end < SLAB_BYTES && current.end + size <= current.bytes.length) return current
    this.#current = (size <= SLAB_BYTES ? this.#spare.pop() : undefined) ?? this.#newSlab(size)
    return this.#slabs[this.#current]!
  }

  #newSlab(size: number): number {
    const bytes = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, size))
    this.#heldBytes += bytes.length
    return this.#slabs.push({ bytes, end: 0, freedBytes: 0 }) - 1
  }

  #newNumber(): number {
    if (this.#numbers === this.#places.length) {
      const wider = new Uint32Array(this.#places.length * 2)
      wider.set(this.#places)
      this.#places = wider
    }
    return this.#numbers++
  }

  /** Moves what is left in the slab with the most holes, which then is spare. */
  #emptySparsest(): void {
    const spare = this.#sparsest()
    if (spare === undefined) return
    const slab = this.#slabs[spare]!
    for (let at = 0; at < slab.end; at += sizeOf(slab.bytes.readUInt32LE(at))) {
      const number = slab.bytes.readUInt32LE(at + 4)
      if (number !== FREED) this.#place(number, contentAt(slab.bytes, at))
    }
    this.#freedBytes -= slab.freedBytes
    slab.end = 0
    slab.freedBytes = 0
    this.#spare.push(spare)
  }

  #sparsest(): number | undefined {
    let sparsest: number | undefined
    let most = 0
    for (let number = 0; number < this.#slabs.length; number++) {
      const { freedBytes } = this.#slabs[number]!
      if (number === this.#current || freedBytes <= most) continue
      most = freedBytes
      sparsest = number
    }
    return sparsest
  }
}

function contentAt(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + bytes.readUInt32LE(at))
}

/** What a block takes in its slab. */
function sizeOf(length: number): number {
  return Math.ceil((length + HEADER_BYTES) / UNIT_BYTES) * UNIT_BYTES
}
