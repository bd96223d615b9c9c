// What fails a run: a wrong result of this package, and a floor of speed that is missed.

import type { CaseResult } from './report'
import { verdictText } from './report'

/** `objects` must be this many times as fast as papaparse. */
const OBJECTS_FLOOR = 2

type Judged = Pick<CaseResult, 'name' | 'ours' | 'verdict' | 'timesPapaparse'>

/** @param floor whether the floor of speed counts; wrong results always do */
export function failuresOf(cases: readonly Judged[], floor: boolean): string[] {
  const wrong = cases.filter(({ ours, verdict }) => ours && !verdict.right)
  const failures = wrong.map(({ name, verdict }) => `${name} is ${verdictText(verdict)}`)
  const objects = cases.find(({ name }) => name === 'objects')
  if (floor && objects !== undefined && objects.timesPapaparse < OBJECTS_FLOOR) {
    failures.push(`objects is ${objects.timesPapaparse.toFixed(2)} times as fast as papaparse, below the floor of ${OBJECTS_FLOOR}`)
  }
  return failures
}
