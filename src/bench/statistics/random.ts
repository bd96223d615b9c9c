// Numbers that look random and are the same on every run of the same seed.

/** @returns a number from 0 up to, not including, 1 */
export type Random = () => number

/** mulberry32: 32 bits of state, plenty for shuffling and resampling. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
