// The door of the room bench: what the public entries and the other rooms use of it.

export type { BenchOptions } from './bench-plan'
export { type BenchReport, regressionsIn } from './bench-report'
export { type Bench, defineBench } from './define-bench'
export { aligned, BENCH_FORMATS, benchText } from './formats/bench-text'
export { HISTORY_HEADER, historyLines } from './formats/history-lines'
export { regressionText } from './formats/words'
export { measureBenches } from './measure-benches'
export { MEASURE_NAMES, type MeasureName } from './statistics/measures'
