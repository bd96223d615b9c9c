// The micro benchmark: one codec a case, by benchmark.js. Codecs are not public names, so they are
// built from the sources.

import Benchmark from 'benchmark'
import { thisMachine } from '../src/bench/machine'
import { CASES } from './micro/cases'
import type { MicroCase } from './micro/micro-case'

/** Seconds a case is sampled for. */
const SAMPLING_SECONDS = 1.5

/** Results go here, so that the optimizer cannot leave the work out. */
let last: unknown

function measure(micro: MicroCase): void {
  const benchmark = new Benchmark(micro.name, () => (last = micro.run()), {
    maxTime: SAMPLING_SECONDS,
  })
  benchmark.run()
  if (benchmark.error) throw benchmark.error
  console.log(`${String(benchmark)}  ${speedOf(micro, benchmark.hz)}`)
}

function speedOf({ input, inputBytes }: MicroCase, runsPerSecond: number): string {
  const rate =
    inputBytes === undefined ? '' : `${((inputBytes * runsPerSecond) / 1e6).toFixed(1)} MB/s, `
  return `${rate}${(1e6 / runsPerSecond).toFixed(1)} µs for ${input}`
}

const { date, node, cpu, cores } = thisMachine()
console.log(`${date} · Node ${node} · ${cpu} · ${cores} cores`)
for (const micro of CASES) {
  last = micro.run()
  if (last !== micro.expected) {
    console.log(`${micro.name} WRONG: ${String(last)}, not ${String(micro.expected)}`)
    process.exitCode = 1
  }
  measure(micro)
}
