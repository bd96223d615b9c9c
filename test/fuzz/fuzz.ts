// `npm run fuzz -- [name] [count] [seed]`: compares fast code with plain code on so many mutated
// inputs, or runs a property of the tests on so many cases. The first name of the table is the default.

import { fuzzColumns } from './columns'
import { fuzzDownloads } from './downloads'
import { fuzzInflate } from './inflate'
import { fuzzStates } from './states'

interface Fuzzer {
  readonly run: (count: number, seed: number) => void | Promise<void>
  /** The number of inputs where none is given. */
  readonly count: number
}

const FUZZERS: Readonly<Record<string, Fuzzer>> = {
  inflate: { run: fuzzInflate, count: 10_000_000 },
  columns: { run: fuzzColumns, count: 10_000_000 },
  downloads: { run: fuzzDownloads, count: 100_000 },
  states: { run: fuzzStates, count: 2_000 },
}

const words = process.argv.slice(2)
const isNamed = Object.hasOwn(FUZZERS, words[0] ?? '')
const { run, count: byDefault } = FUZZERS[isNamed ? words[0]! : 'inflate']!
const [count = byDefault, seed = 1] = words.slice(isNamed ? 1 : 0).map(Number)
if (!Number.isInteger(count) || !Number.isInteger(seed)) {
  console.error(`usage: npm run fuzz -- [${Object.keys(FUZZERS).join(' | ')}] [count] [seed]`)
  process.exit(2)
}
await run(count, seed)
