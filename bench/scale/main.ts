// The scale benchmark: a bootstrap, 24 snapshots and a priority file merged into a state on disk,
// by feedmill and by DuckDB, each in fresh processes, in turns; the results are compared item by
// item before a figure counts.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchFailed } from '../../src/bench/bench-failed'
import { inFreshProcess as inProcess } from '../../src/bench/fresh-process'
import { thisMachine } from '../../src/bench/machine'
import type { Digest } from './digest'
import type { Engine, ScaleMeasurement, ScaleResults, ScaleTask } from './scale-process'

const DIRECTORY = '.tmp/bench-data'
const ENGINES: readonly Engine[] = ['feedmill', 'duckdb']
/** Far above what any task takes: a task that hangs must not hang the run. */
const TIME_LIMIT_MS = 30 * 60 * 1000

interface EngineResult {
  readonly engine: Engine
  readonly digest: Digest
  readonly runs: readonly ScaleMeasurement[]
}

interface SizeResult {
  readonly items: number
  readonly rows: number
  readonly rawBytes: number
  readonly gzipBytes: number
  readonly engines: readonly EngineResult[]
}

async function measureSize(
  items: number,
  rounds: number,
  engines: readonly Engine[],
): Promise<SizeResult> {
  const files = await inFreshProcess({ kind: 'prepare', items, directory: DIRECTORY })
  const folderOf = (engine: Engine) => join(DIRECTORY, `scale-${engine}`)
  const runs = new Map(engines.map(engine => [engine, [] as ScaleMeasurement[]]))
  for (let round = 0; round < rounds; round++) {
    for (const engine of round % 2 === 0 ? engines : engines.toReversed()) {
      console.error(`${items} items, round ${round + 1} of ${rounds}: ${engine}`)
      runs
        .get(engine)!
        .push(await inFreshProcess({ kind: 'merge', engine, files, folder: folderOf(engine) }))
    }
  }
  const results: EngineResult[] = []
  for (const engine of engines) {
    const digest = await inFreshProcess({ kind: 'digest', engine, files, folder: folderOf(engine) })
    results.push({ engine, digest, runs: runs.get(engine)! })
  }
  const total = (what: 'rows' | 'rawBytes' | 'gzipBytes') =>
    files.files.reduce((sum, file) => sum + file[what], 0)
  return {
    items,
    rows: total('rows'),
    rawBytes: total('rawBytes'),
    gzipBytes: total('gzipBytes'),
    engines: results,
  }
}

function inFreshProcess<T extends ScaleTask>(task: T): Promise<ScaleResults[T['kind']]> {
  return inProcess({
    script: fileURLToPath(new URL('./scale-process.js', import.meta.url)),
    task,
    stallLimitMs: TIME_LIMIT_MS,
    failed: how => benchFailed(task.kind, how),
  })
}

function linesOf({ items, rows, rawBytes, gzipBytes, engines }: SizeResult): string[] {
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2)
  return [
    `${items} items: ${rows} rows, ${gigabytes(rawBytes)} GB, ${gigabytes(gzipBytes)} GB of gzip`,
    'engine     wall s    CPU s   peak RSS MiB   items in the end',
    ...engines.map(({ engine, digest, runs }) => {
      const { seconds, cpuSeconds, peakRssMb } = medians(runs)
      const figures = [
        seconds.toFixed(1).padStart(8),
        cpuSeconds.toFixed(1).padStart(8),
        peakRssMb.toFixed(0).padStart(14),
      ]
      return `${engine.padEnd(9)}${figures.join(' ')}   ${digest.items}`
    }),
  ]
}

function medians(runs: readonly ScaleMeasurement[]): ScaleMeasurement {
  const median = (what: keyof ScaleMeasurement) =>
    runs.map(run => run[what]).sort((a, b) => a - b)[Math.floor(runs.length / 2)]!
  return {
    seconds: median('seconds'),
    cpuSeconds: median('cpuSeconds'),
    peakRssMb: median('peakRssMb'),
  }
}

function isSame({ engines }: SizeResult): boolean {
  return engines.every(
    ({ digest }) =>
      digest.items === engines[0]!.digest.items && digest.sum === engines[0]!.digest.sum,
  )
}

const { values } = parseArgs({
  options: {
    items: { type: 'string', multiple: true, default: ['1000000', '2000000'] },
    rounds: { type: 'string', default: '1' },
    engine: { type: 'string', multiple: true, default: [...ENGINES] },
    json: { type: 'string' },
  },
})
const machine = thisMachine()
console.log(
  `${machine.date} · Node ${machine.node} · ${machine.cpu} · ${machine.cores} cores · ${machine.platform}`,
)
const sizes: SizeResult[] = []
for (const items of values.items) {
  const size = await measureSize(Number(items), Number(values.rounds), values.engine as Engine[])
  sizes.push(size)
  console.log(`\n${linesOf(size).join('\n')}`)
  if (isSame(size)) continue
  console.error(
    `failed: the results differ: ${JSON.stringify(size.engines.map(({ digest }) => digest))}`,
  )
  process.exitCode = 1
}
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine, sizes }, null, 2)}\n`)
