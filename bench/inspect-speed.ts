// Measures `inspect` beside `rows-5` on one file, in alternating rounds of one process, and fails
// below the goal.

import { median } from '../src/bench/statistics/median'
import { inspect } from '../src/inspect'
import { inspectFeed } from './inspect-feed'
import { FIVE_COLUMNS } from './macro/five-cells'
import { itemBatchesOf } from './macro/item-batches'

const ROUNDS = 7
/** Rounds before V8 has optimised the code. */
const WARM_UP = 2
/** The speed of `inspect`, as a part of that of `rows-5`. */
const GOAL = 0.3

const { path, rawBytes, rows } = await inspectFeed()

async function readFive(): Promise<number> {
  let count = 0
  for await (const batch of itemBatchesOf(path, FIVE_COLUMNS).batches())
    for (const row of batch) {
      for (const name of FIVE_COLUMNS) row.text(name)
      count++
    }
  return count
}

async function secondsOf(read: () => Promise<number>): Promise<number> {
  const start = performance.now()
  const count = await read()
  if (count !== rows) throw new RangeError(`${count} rows, and not ${rows}`)
  return (performance.now() - start) / 1000
}

const times = { five: [] as number[], inspect: [] as number[] }
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const five = await secondsOf(readFive)
  const inspected = await secondsOf(async () => (await inspect(path)).rows)
  if (round < WARM_UP) continue
  times.five.push(five)
  times.inspect.push(inspected)
}
const ratio = median(times.five.map((seconds, round) => seconds / times.inspect[round]!))
const speed = (seconds: readonly number[]) => (rawBytes / 1e6 / median(seconds)).toFixed(0)
console.log(
  `rows-5 ${speed(times.five)} MB/s, inspect ${speed(times.inspect)} MB/s, ${ratio.toFixed(2)} × rows-5, peak RSS ${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB`,
)
if (ratio < GOAL) process.exitCode = 1
