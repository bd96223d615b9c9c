// The door of this room: what the public entries and the other rooms use of it.

export type { BenchOptions, BenchProgress } from './bench-plan'
export {
  type BenchBase,
  type BenchRegression,
  type BenchReport,
  type BenchResult,
  type JudgedMeasure,
  regressionsIn,
} from './bench-report'
export type { BenchRun, RunFigures } from './bench-run'
export { type Bench, type BenchOutcome, defineBench } from './define-bench'
export { BENCH_FORMATS, type BenchFormat, benchText } from './formats/bench-text'
export { regressionText } from './formats/words'
export type { Machine } from './machine'
export { measureBenches } from './measure-benches'
export type { Verdict } from './statistics/judge'
export { MEASURES, type MeasureName } from './statistics/measures'
export type { Interval } from './statistics/trimmed-mean'
