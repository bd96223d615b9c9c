// The rows of a file as `sync` gives them to a target, for the benchmarks of databases, which are
// plain modules: built to .tmp/bench/sinks. It stands apart from shaped-rows.ts, which would count in
// the peak memory of a process that loads a file.

export { keyedRows } from '../../src/state/keyed-rows'
