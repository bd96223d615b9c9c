// The public names of `feedmill/bench`: benchmarks that tell a slower version from noise. The command
// `feedmill bench` is made of them.

export type {
  BenchOptions,
  BenchProgress,
  BenchRun,
  Interval,
  Machine,
  MeasureName,
  RunFigures,
  Verdict,
} from './bench/index'
export {
  type Bench,
  type BenchBase,
  type BenchFormat,
  type BenchOutcome,
  type BenchRegression,
  type BenchReport,
  type BenchResult,
  benchText,
  defineBench,
  type JudgedMeasure,
  measureBenches,
  regressionsIn,
} from './bench/index'
