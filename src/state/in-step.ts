// A second listing in key order, which is read in step with a first one, in place of look-ups.

/**
 * @param blocks of the second listing
 * @param compare compares the keys of elements of both listings
 */
export function inStep<Second, First>(
  blocks: AsyncGenerator<readonly Second[], void, void>,
  compare: (second: Second, first: First) => number,
) {
  let block: readonly Second[] = []
  let at = 0
  let hasEnded = false
  const readOn = async () => {
    const { value, done } = await blocks.next()
    hasEnded = done === true
    block = value ?? []
    at = 0
  }
  return {
    /**
     * Returns for each element of the first listing the one of the second with its key; undefined
     * where there is none.
     * @param firsts in the order of their keys, and behind those of the call before
     */
    of: async (firsts: readonly First[]): Promise<readonly (Second | undefined)[]> => {
      const found = new Array<Second | undefined>(firsts.length).fill(undefined)
      for (let n = 0; n < firsts.length; ) {
        const next = block[at]
        if (next === undefined) {
          if (hasEnded) break
          await readOn()
          continue
        }
        const order = compare(next, firsts[n]!)
        if (order === 0) found[n] = next
        if (order <= 0) at++
        if (order >= 0) n++
      }
      return found
    },
    close: async () => void (await blocks.return()),
  }
}
