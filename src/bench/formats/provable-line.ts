// The line that says, before the rounds of a comparison or behind its first ones, what all of them
// can prove.

import { correctedLevel, type JudgedMeasure, type Judging } from '../bench-report'
import { MEASURES } from '../statistics/measures'
import { smallestChange } from '../statistics/smallest-change'
import { percent } from './words'

/**
 * Returns the smallest change of each measure that the planned rounds find in every benchmark.
 * @param judged the judgements of all benchmarks over so many `rounds`
 */
export function provableLine(
  judged: readonly JudgedMeasure[],
  rounds: number,
  planned: number,
  judging: Judging,
): string {
  const level = correctedLevel(judging)
  const shares = MEASURES.filter(({ name }) => judging.measures.includes(name)).map(
    ({ name, floor }) => {
      const ofMeasure = judged.filter(({ measure }) => measure === name)
      const found = ofMeasure.map(each => smallestChange(each, { rounds, planned, level, floor }))
      return `${percent(Math.max(...found))} of ${name}`
    },
  )
  return `${planned} rounds find a change of at least ${shares.join(', ')} here`
}
