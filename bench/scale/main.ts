// The scale benchmark: a state on disk of a bootstrap, a day's files and the priorities, by a whole
// `sync` and by DuckDB, each in fresh processes, in turns. The two states are compared item by item.
// Then the state folder takes one hour more, and is asked for single items, before and after its runs
// are merged. A missed goal fails the run.

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
import type { StateLook } from './feedmill-sync'
import { costOf, type ScaleMeasurement } from './measure'
import { downloadFiles } from './scale-files'
import type { Engine, ScaleResults, ScaleTask } from './scale-process'
import { startScaleService } from './scale-service'

const DIRECTORY = '.tmp/bench-data/scale'
const ENGINES = ['feedmill', 'duckdb'] as const satisfies readonly Engine[]
/** Far above what any task takes: a task that hangs must not hang the run. */
const TIME_LIMIT_MS = 30 * 60 * 1000
/** DuckDB takes at least so many times as long as `sync`. */
const LEAST_RATIO = 1.3
/** The limit of memory that `sync` is given, in 10⁶ bytes. */
const MOST_MB = 256
/** A program that embeds `sync` goes on with its own work. */
const MOST_STOP_MS = 100

type Runs = Readonly<Record<Engine, ScaleMeasurement[]>>

interface SizeResult {
  readonly items: number
  /** Undefined where DuckDB is left out. */
  readonly digests: Readonly<Record<Engine, Digest>> | undefined
  readonly runs: Runs
  readonly hour: ScaleMeasurement
  /** The merge of all runs, in the pause of `--follow`. */
  readonly pause: ScaleMeasurement
  readonly unmerged: StateLook
  readonly merged: StateLook
}

async function measureSize(
  items: number,
  rounds: number,
  engines: readonly Engine[],
): Promise<SizeResult> {
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
      for (const engine of round % 2 === 0 ? engines : engines.toReversed()) {
        console.error(`${items} items, round ${round + 1} of ${rounds}: ${engine}`)
        runs[engine].push(await inFreshProcess<'make'>(task('make', engine)))
      }
    }
    const digest = (engine: Engine) => inFreshProcess<'digest'>(task('digest', engine))
    const digests = engines.includes('duckdb')
      ? { feedmill: await digest('feedmill'), duckdb: await digest('duckdb') }
      : undefined
    const measured = async <Kind extends 'hour' | 'pause' | 'look'>(kind: Kind) => {
      console.error(`${items} items: ${kind}`)
      return inFreshProcess<Kind>(task(kind, 'feedmill'))
    }
    const hour = await measured('hour')
    const unmerged = await measured('look')
    const pause = await measured('pause')
    const merged = await measured('look')
    return { items, digests, runs, hour, pause, unmerged, merged }
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

function report({ items, digests, runs, merged }: SizeResult): void {
  const middle = (engine: Engine, what: keyof ScaleMeasurement) =>
    median(runs[engine].map(run => run[what]))
  console.log(`\n${items} items, ${merged.items} in the end`)
  console.log('engine     wall s    CPU s   peak MB')
  for (const engine of ENGINES.filter(each => runs[each].length > 0)) {
    const figures = [
      middle(engine, 'seconds').toFixed(1).padStart(8),
      middle(engine, 'cpuSeconds').toFixed(1).padStart(8),
      middle(engine, 'peakRssMb').toFixed(0).padStart(9),
    ]
    console.log(`${engine.padEnd(9)}${figures.join(' ')}`)
  }
  if (digests !== undefined) reportDuckDb(runs, digests)
  const most = (what: keyof ScaleMeasurement) => Math.max(...runs.feedmill.map(run => run[what]))
  const [peak, stop] = [most('peakRssMb'), most('longestStopMs')]
  say(`sync takes ${peak.toFixed(0)} MB at most (goal at most ${MOST_MB})`, peak <= MOST_MB)
  say(
    `its event loop stops for ${stop.toFixed(0)} ms at most (goal at most ${MOST_STOP_MS})`,
    stop <= MOST_STOP_MS,
  )
}

function reportDuckDb(runs: Runs, digests: Readonly<Record<Engine, Digest>>): void {
  const ratios = runs.duckdb.map(({ seconds }, n) => seconds / runs.feedmill[n]!.seconds)
  const [ratio, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)]
  const isSame = JSON.stringify(digests.feedmill) === JSON.stringify(digests.duckdb)
  say(
    `DuckDB takes ${ratio.toFixed(2)} × the time of sync (${least.toFixed(2)} to ${most.toFixed(2)}, goal at least ${LEAST_RATIO})`,
    ratio >= LEAST_RATIO,
  )
  say(isSame ? 'both states are equal' : `the states differ: ${JSON.stringify(digests)}`, isSame)
}

/** Reports what a state folder takes that grows by an hour and is read. */
function reportFolder({ hour, pause, unmerged, merged }: SizeResult): void {
  console.log(`one hour more: ${costOf(hour)}; the merge in a pause: ${costOf(pause)}`)
  for (const [when, look] of [
    ['before', unmerged],
    ['after', merged],
  ] as const) {
    const { openMs, lookUpMs, found, storeBytes, tsvBytes } = look
    const share = (storeBytes / tsvBytes).toFixed(2)
    console.log(
      `${when} the merge: ${(storeBytes / 1e6).toFixed(0)} MB on the disk, ${share} × the TSV of the items; ` +
        `opened in ${openMs.toFixed(0)} ms; ${lookUpMs.length} keys looked up, ${found} found, ` +
        `each in ${median(lookUpMs).toFixed(1)} ms (at most ${Math.max(...lookUpMs).toFixed(1)})`,
    )
  }
}

function say(words: string, isMet: boolean): void {
  console.log(`${words}: ${isMet ? 'held' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}

const { values } = parseArgs({
  options: {
    items: { type: 'string', multiple: true, default: ['1000000', '2000000'] },
    rounds: { type: 'string', default: '1' },
    'without-duckdb': { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const rounds = wholeNumber('--rounds', values.rounds)
const counts = values.items.map(text => wholeNumber('--items', text, 1, 50_000_000))
const engines = ENGINES.filter(engine => engine !== 'duckdb' || !values['without-duckdb'])
const machine = thisMachine()
console.log(machineLine(machine))
const sizes: SizeResult[] = []
for (const items of counts) {
  const size = await measureSize(items, rounds, engines)
  sizes.push(size)
  report(size)
  reportFolder(size)
}
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine, sizes }, null, 2)}\n`)
