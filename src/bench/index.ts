// The public names of `feedmill/bench`: benchmarks that tell a slower version from noise. The command
// `feedmill bench` is made of them.

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
export { type BenchFormat, benchText } from './formats/bench-text'
export type { Machine } from './machine'
export { measureBenches } from './measure-benches'
export type { RunFigures } from './measured'
export type { Verdict } from './statistics/judge'
export type { MeasureName } from './statistics/measures'
export type { Interval } from './statistics/trimmed-mean'
