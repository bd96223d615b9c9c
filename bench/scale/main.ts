// The scale benchmark: a state on disk of a bootstrap, a day's files and the priorities, by a whole
// `sync` and by DuckDB, each in fresh processes, in turns. The two states are compared item by item,
// and a missed goal fails the run.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchFailed } from '../../src/bench/bench-failed'
import { inFreshProcess as inProcess } from '../../src/bench/fresh-process'
import { machineLine, thisMachine } from '../../src/bench/machine'
import { median } from '../../src/bench/statistics/median'
import { wholeNumber } from '../bench-options'
import type { Digest } from './digest'
import { downloadFiles } from './scale-files'
import type { Engine, ScaleMeasurement, ScaleResults, ScaleTask } from './scale-process'
import { startScaleService } from './scale-service'

const DIRECTORY = '.tmp/bench-data/scale'
const ENGINES = ['feedmill', 'duckdb'] as const satisfies readonly Engine[]
/** Far above what any task takes: a task that hangs must not hang the run. */
const TIME_LIMIT_MS = 30 * 60 * 1000
/** DuckDB takes at least so many times as long as `sync`. */
const LEAST_RATIO = 1.3
/** The limit of memory that `sync` is given, in 10⁶ bytes. */
const MOST_MB = 256

type Runs = Readonly<Record<Engine, ScaleMeasurement[]>>

interface SizeResult {
  readonly items: number
  readonly digests: Readonly<Record<Engine, Digest>>
  readonly runs: Runs
}

async function measureSize(items: number, rounds: number): Promise<SizeResult> {
  console.error(`${items} items: making the files`)
  const service = await startScaleService(items)
  try {
    const { address } = service
    const files = await downloadFiles(address, join(DIRECTORY, 'files'))
    const task = (kind: ScaleTask['kind'], engine: Engine): ScaleTask => ({
      kind,
      engine,
      address,
      files,
      folder: join(DIRECTORY, engine),
    })
    const runs: Runs = { feedmill: [], duckdb: [] }
    for (let round = 0; round < rounds; round++) {
      for (const engine of round % 2 === 0 ? ENGINES : ENGINES.toReversed()) {
        console.error(`${items} items, round ${round + 1} of ${rounds}: ${engine}`)
        runs[engine].push(await inFreshProcess<'make'>(task('make', engine)))
      }
    }
    const digest = (engine: Engine) => inFreshProcess<'digest'>(task('digest', engine))
    const digests = { feedmill: await digest('feedmill'), duckdb: await digest('duckdb') }
    return { items, digests, runs }
  } finally {
    await service.close()
    await rm(DIRECTORY, { recursive: true, force: true })
  }
}

function inFreshProcess<Kind extends ScaleTask['kind']>(
  task: ScaleTask,
): Promise<ScaleResults[Kind]> {
  return inProcess({
    script: fileURLToPath(new URL('./scale-process.js', import.meta.url)),
    task,
    timeLimitMs: TIME_LIMIT_MS,
    failed: how => benchFailed(`${task.kind} by ${task.engine}`, how),
  })
}

function report({ items, digests, runs }: SizeResult): void {
  const middle = (engine: Engine, what: keyof ScaleMeasurement) =>
    median(runs[engine].map(run => run[what]))
  console.log(`\n${items} items, ${digests.feedmill.items} in the end`)
  console.log('engine     wall s    CPU s   peak MB')
  for (const engine of ENGINES) {
    const figures = [
      middle(engine, 'seconds').toFixed(1).padStart(8),
      middle(engine, 'cpuSeconds').toFixed(1).padStart(8),
      middle(engine, 'peakRssMb').toFixed(0).padStart(9),
    ]
    console.log(`${engine.padEnd(9)}${figures.join(' ')}`)
  }
  const ratios = runs.duckdb.map(({ seconds }, n) => seconds / runs.feedmill[n]!.seconds)
  const [ratio, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)]
  const peak = Math.max(...runs.feedmill.map(({ peakRssMb }) => peakRssMb))
  const isSame = JSON.stringify(digests.feedmill) === JSON.stringify(digests.duckdb)
  say(
    `DuckDB takes ${ratio.toFixed(2)} × the time of sync (${least.toFixed(2)} to ${most.toFixed(2)}, goal at least ${LEAST_RATIO})`,
    ratio >= LEAST_RATIO,
  )
  say(`sync takes ${peak.toFixed(0)} MB at most (goal at most ${MOST_MB})`, peak <= MOST_MB)
  say(isSame ? 'both states are equal' : `the states differ: ${JSON.stringify(digests)}`, isSame)
}

function say(words: string, isMet: boolean): void {
  console.log(`${words}: ${isMet ? 'held' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}

const { values } = parseArgs({
  options: {
    items: { type: 'string', multiple: true, default: ['1000000', '2000000'] },
    rounds: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
})
const rounds = wholeNumber('--rounds', values.rounds)
const counts = values.items.map(text => wholeNumber('--items', text, 1, 50_000_000))
const machine = thisMachine()
console.log(machineLine(machine))
const sizes: SizeResult[] = []
for (const items of counts) {
  const size = await measureSize(items, rounds)
  sizes.push(size)
  report(size)
}
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine, sizes }, null, 2)}\n`)
