// The order in which the sides of a comparison run, round by round. It is random, so that nothing
// periodic on the machine can favour one of them, and balanced: over each block of rounds every
// side runs equally often in every place, so a drift cancels.

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

/** All orders of `items` once, shuffled, then all of them again, without end. */
export function* sideOrders<T>(
  items: readonly T[],
  random: Random,
): Generator<readonly T[], never, void> {
  const orders = permutations(items)
  for (;;) yield* shuffled(orders, random)
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((first, at) =>
    permutations(items.toSpliced(at, 1)).map(rest => [first, ...rest]),
  )
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[result[last], result[other]] = [result[other]!, result[last]!]
  }
  return result
}
