// Whole commands in turns, and what they took: a table of medians, ratios taken round by round, and
// limits whose miss fails the run.

import { median } from '../../src/bench/statistics/median'
import type { WholeRun } from './whole-sync'

export type Runs<Name extends string> = Readonly<Record<Name, WholeRun[]>>

/** Runs each case once a round. */
export async function inTurns<Name extends string>(
  cases: Readonly<Partial<Record<Name, () => Promise<WholeRun>>>>,
  rounds: number,
  before: (name: Name) => Promise<unknown>,
): Promise<Runs<Name>> {
  const names = Object.keys(cases) as Name[]
  const runs = Object.fromEntries(names.map(name => [name, [] as WholeRun[]])) as Runs<Name>
  for (let round = 1; round <= rounds; round++)
    for (const name of names) {
      console.error(`round ${round} of ${rounds}: ${name}`)
      await before(name)
      runs[name].push(await cases[name]!())
    }
  return runs
}

/** Prints the medians. */
export function printRuns(runs: Runs<string>): void {
  console.log(`${'case'.padEnd(18)}   wall s     CPU s   peak MB`)
  for (const [name, own] of Object.entries(runs)) {
    const figure = (what: keyof WholeRun, digits: number) =>
      median(own.map(run => run[what]))
        .toFixed(digits)
        .padStart(9)
    console.log(name.padEnd(18), figure('seconds', 1), figure('cpuSeconds', 1), figure('peakMb', 0))
  }
}

/**
 * Prints how many times as long one case takes as another, with the least and the most.
 * @param most the goal, where there is one
 */
export function printRatio<Name extends string>(
  runs: Runs<Name>,
  name: Name,
  other: Name,
  most?: number,
): void {
  const ratiosBy = (what: keyof WholeRun) =>
    runs[name].map((run, n) => run[what] / runs[other][n]![what])
  const ratios = ratiosBy('seconds')
  const [least, highest] = [Math.min(...ratios), Math.max(...ratios)].map(each => each.toFixed(2))
  const words = `${name} by ${other}: ${median(ratios).toFixed(2)} × (${least} to ${highest}), processor time ${median(ratiosBy('cpuSeconds')).toFixed(2)} ×`
  if (most === undefined) console.log(words)
  else say(`${words}, goal at most ${most}`, median(ratios) <= most)
}

/** Prints the highest peak beside its goal. */
export function printPeak<Name extends string>(runs: Runs<Name>, name: Name, mostMb: number): void {
  const peak = Math.max(...runs[name].map(({ peakMb }) => peakMb))
  say(`${name} takes ${peak.toFixed(0)} MB, goal at most ${mostMb}`, peak <= mostMb)
}

export function say(words: string, isMet: boolean): void {
  console.log(`${words}: ${isMet ? 'held' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}
