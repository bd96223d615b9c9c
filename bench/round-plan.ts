// Decides how many rounds each contender runs, so that a run of the benchmark ends in time: the slow
// ones run fewer. The file knows only times, and no contender.

/** The rounds of a contender that would take too long otherwise. Fewer have no spread. */
export const LEAST_ROUNDS = 3

/**
 * Returns the rounds of each contender. Every contender gets the same time, and the fast ones leave
 * to the slow ones what they do not need.
 * @param seconds the time of one run of each contender
 * @param most the wanted number of rounds
 * @param budgetSeconds the time for all rounds; the least number of rounds is run in any case
 */
export function plannedRounds(
  seconds: readonly number[],
  most: number,
  budgetSeconds: number,
): number[] {
  const least = Math.min(LEAST_ROUNDS, most)
  const rounds = seconds.map(() => least)
  let left = budgetSeconds - sum(seconds.map(time => time * least))
  for (;;) {
    // The contender that has used the least time so far gets the next round.
    const open = [...rounds.keys()].filter(at => rounds[at]! < most && seconds[at]! <= left)
    const next = open.sort((a, b) => seconds[a]! * rounds[a]! - seconds[b]! * rounds[b]!)[0]
    if (next === undefined) return rounds
    rounds[next]!++
    left -= seconds[next]!
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
