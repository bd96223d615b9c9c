// An arena that keeps many small blocks of bytes in few large slabs, outside V8's heap. An array
// object for each row would cost half as much again as the row, and text in V8's heap doubles
// before it is collected. Here a block costs 12 bytes and its padding. A block has a number, which
// stays the same when the block moves to close holes.
//
//   slab: │ length │ number │ bytes … pad │ length │ number │ bytes … pad │ … free │
//
// What a block leaves where it was replaced or moved has the number HOLE.

/**
 * Bytes in a slab: large enough that the system gives it as whole pages, and small enough to be
 * emptied within one call.
 */
const SLAB_BYTES = 1 << 20
/**
 * Blocks begin at multiples of this number, so that a place fits 32 bits for up to 32 GiB of slabs.
 */
const UNIT_BYTES = 8
const SLAB_UNITS = SLAB_BYTES / UNIT_BYTES
const HEADER_BYTES = 8
const WORD_BYTES = 4
const HOLE = 0xffffffff
/** Holes are closed when they are this part of all slabs. */
const WASTE_PART = 1 / 8

interface Slab {
  /** The slab's memory: SLAB_BYTES, or more for a single larger block. */
  readonly bytes: Uint8Array
  /** The same memory, for lengths and numbers. */
  readonly words: Uint32Array
  /** Offset of the next block. */
  end: number
  holeBytes: number
}

export class ByteArena {
  readonly #slabs: Slab[] = []
  /** Emptied slabs, which are reused because V8 gives memory back only at a garbage collection. */
  readonly #emptied: number[] = []
  #current = -1
  /** Bytes of all slabs, holes and free ends included. */
  heldBytes = 0
  /** Bytes of all holes. */
  #holeBytes = 0
  /** Place of each block in units, by its number. */
  #places = new Uint32Array(1024)
  #numbers = 0

  /**
   * Copies a block in.
   * @returns the number of the block
   */
  put(bytes: Uint8Array): number {
    const number = this.#numbers++
    if (number === this.#places.length) {
      const wider = new Uint32Array(this.#places.length * 2)
      wider.set(this.#places)
      this.#places = wider
    }
    this.#place(number, bytes)
    return number
  }

  /** Returns a copy of a block, or of its first bytes. */
  get(number: number, firstBytes = Number.POSITIVE_INFINITY): Uint8Array {
    const { slab, at } = this.#locate(number)
    const start = at + HEADER_BYTES
    return slab.bytes.slice(start, start + Math.min(firstBytes, lengthAt(slab, at)))
  }

  /** Returns a block where it lies, until the next call that changes the arena. */
  view(number: number): Uint8Array {
    const { slab, at } = this.#locate(number)
    return slab.bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + lengthAt(slab, at))
  }

  /** Bytes of a block. */
  lengthOf(number: number): number {
    const { slab, at } = this.#locate(number)
    return lengthAt(slab, at)
  }

  replace(number: number, bytes: Uint8Array): void {
    this.#leave(number)
    this.#place(number, bytes)
  }

  #locate(number: number): { slab: Slab; at: number } {
    const place = this.#places[number]!
    const slab = this.#slabs[Math.floor(place / SLAB_UNITS)]!
    return { slab, at: (place % SLAB_UNITS) * UNIT_BYTES }
  }

  /** Makes a hole of a block. */
  #leave(number: number): void {
    const { slab, at } = this.#locate(number)
    const size = sizeOf(lengthAt(slab, at))
    slab.words[at / WORD_BYTES + 1] = HOLE
    slab.holeBytes += size
    this.#holeBytes += size
    if (this.#holeBytes > this.heldBytes * WASTE_PART + SLAB_BYTES) this.#emptySparsest()
  }

  #place(number: number, bytes: Uint8Array): void {
    const size = sizeOf(bytes.length)
    const slab = this.#slabFor(size)
    const at = slab.end
    slab.words[at / WORD_BYTES] = bytes.length
    slab.words[at / WORD_BYTES + 1] = number
    slab.bytes.set(bytes, at + HEADER_BYTES)
    slab.end += size
    this.#places[number] = this.#current * SLAB_UNITS + at / UNIT_BYTES
  }

  #slabFor(size: number): Slab {
    const current = this.#slabs[this.#current]
    if (current !== undefined && current.end + size <= current.bytes.length) return current
    this.#current = this.#emptied.pop() ?? this.#slabs.length
    const emptied = this.#slabs[this.#current]
    if (emptied !== undefined && size <= emptied.bytes.length) return emptied
    const slab = newSlab(Math.max(SLAB_BYTES, size))
    this.heldBytes += slab.bytes.length - (emptied?.bytes.length ?? 0)
    this.#slabs[this.#current] = slab
    return slab
  }

  /** Moves the blocks out of the slab with the most holes, which is then reused. */
  #emptySparsest(): void {
    const sparsest = this.#sparsest()
    if (sparsest === undefined) return
    const slab = this.#slabs[sparsest]!
    for (let at = 0; at < slab.end; at += sizeOf(lengthAt(slab, at))) {
      const number = slab.words[at / WORD_BYTES + 1]!
      if (number !== HOLE) this.#place(number, this.view(number))
    }
    this.#holeBytes -= slab.holeBytes
    // The memory of a single large block is given back.
    const isLarge = slab.bytes.length > SLAB_BYTES
    if (isLarge) this.heldBytes -= slab.bytes.length
    this.#slabs[sparsest] = isLarge ? newSlab(0) : { ...slab, end: 0, holeBytes: 0 }
    this.#emptied.push(sparsest)
  }

  #sparsest(): number | undefined {
    let sparsest: number | undefined
    let most = 0
    for (let number = 0; number < this.#slabs.length; number++) {
      const { holeBytes } = this.#slabs[number]!
      if (number === this.#current || holeBytes <= most) continue
      most = holeBytes
      sparsest = number
    }
    return sparsest
  }
}

function newSlab(length: number): Slab {
  const bytes = new Uint8Array(length)
  return { bytes, words: new Uint32Array(bytes.buffer), end: 0, holeBytes: 0 }
}

function lengthAt(slab: Slab, at: number): number {
  return slab.words[at / WORD_BYTES]!
}

/** Returns the bytes that a block takes in its slab. */
function sizeOf(length: number): number {
  return Math.ceil((length + HEADER_BYTES) / UNIT_BYTES) * UNIT_BYTES
}
