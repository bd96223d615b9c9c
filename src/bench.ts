// The public names of `feedmill/bench`: benchmarks that tell a slower version from noise. The
// command
// `feedmill bench` is made of them.

export {
  type Bench,
  type BenchOptions,
  type BenchReport,
  benchText,
  defineBench,
  measureBenches,
  regressionsIn,
} from './bench/index'
