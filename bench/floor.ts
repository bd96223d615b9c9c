// What fails a run: a wrong result of this package, and a goal that is missed.

import type { GoalResult } from './goals'
import { type CaseResult, verdictText } from './report'

/** @param floor whether missed goals count; wrong results always do */
export function failuresOf(
  cases: readonly Pick<CaseResult, 'name' | 'ours' | 'verdict'>[],
  goals: readonly GoalResult[],
  floor: boolean,
): string[] {
  const wrong = cases.filter(({ ours, verdict }) => ours && !verdict.right)
  const missed = floor ? goals.filter(({ held }) => !held) : []
  return [
    ...wrong.map(({ name, verdict }) => `${name} is ${verdictText(verdict)}`),
    ...missed.map(
      ({ case: name, goal, measured }) => `${name}: ${measured}, where the goal is ${goal}`,
    ),
  ]
}
