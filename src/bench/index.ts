// The door of this room: what the public entries and the other rooms use of it.

export { answerTask } from './answer-task'
export type { BenchOptions, BenchProgress } from './bench-plan'
export {
  type BenchBase,
  type BenchRegression,
  type BenchReport,
  type BenchResult,
  type JudgedMeasure,
  regressionsIn,
} from './bench-report'
export type { BenchRun } from './bench-run'
export { type CompareWithBaselineOptions, compareWithBaseline } from './compare-with-baseline'
export { type CompareWithCommitOptions, compareWithCommit } from './compare-with-commit'
export { type Bench, type BenchOutcome, defineBench } from './define-bench'
export { BENCH_FORMATS, type BenchFormat, benchText } from './formats/bench-text'
export { regressionText } from './formats/words'
export { inFreshProcess } from './fresh-process'
export { type Machine, machineDifferences, machineLine, thisMachine } from './machine'
export { measureBenches } from './measure-benches'
export { measured, type RunFigures } from './measured'
export type { Verdict } from './statistics/judge'
export { MEASURES, type MeasureName } from './statistics/measures'
export { median, spreadOf } from './statistics/median'
export type { Interval } from './statistics/trimmed-mean'
