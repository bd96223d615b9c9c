// Estimates the number of distinct values in constant memory: a HyperLogLog of 2^12 registers over
// hashes of 32 bits, with the estimator of Ertl (2017, "New cardinality estimation algorithms for
// HyperLogLog sketches"), which needs no tables of corrections and has no jump between ranges.

/** Binary logarithm of the number of registers. */
const INDEX_BITS = 12
const REGISTERS = 2 ** INDEX_BITS
/** Bits of a hash that do not select the register. */
const VALUE_BITS = 32 - INDEX_BITS
/** A bit below the bits of the value, so that a value of zeros ends there. */
const SENTINEL = 1 << (INDEX_BITS - 1)
/** The standard error of the estimate, 1.04 divided by the root of the number of registers. */
export const DISTINCT_ERROR = 1.04 / Math.sqrt(REGISTERS)

export class DistinctSketch {
  readonly #registers = new Uint8Array(REGISTERS)

  /** Adds the hash of a value. */
  add(hash: number): void {
    const index = hash >>> VALUE_BITS
    const rank = Math.clz32((hash << INDEX_BITS) | SENTINEL) + 1
    if (rank > this.#registers[index]!) this.#registers[index] = rank
  }

  /** Returns the number of distinct values, rounded. */
  estimate(): number {
    const counts = new Array<number>(VALUE_BITS + 2).fill(0)
    for (const rank of this.#registers) counts[rank]!++
    let sum = REGISTERS * tau(1 - counts[VALUE_BITS + 1]! / REGISTERS)
    for (let rank = VALUE_BITS; rank >= 1; rank--) sum = 0.5 * (sum + counts[rank]!)
    sum += REGISTERS * sigma(counts[0]! / REGISTERS)
    return Math.round(REGISTERS ** 2 / (2 * Math.LN2 * sum))
  }
}

/** The part of registers that no value has reached. */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY
  let sum = share
  let power = share
  for (let weight = 1, before = -1; sum !== before; weight *= 2) {
    before = sum
    power *= power
    sum += power * weight
  }
  return sum
}

/** The part of registers that have the highest rank. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0
  let sum = 1 - share
  let root = share
  for (let weight = 0.5, before = -1; sum !== before; weight /= 2) {
    before = sum
    root = Math.sqrt(root)
    sum -= (1 - root) ** 2 * weight
  }
  return sum / 3
}
