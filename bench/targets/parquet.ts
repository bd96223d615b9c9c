// Compares `feedmill convert FILE.tsv.gz out.parquet` with DuckDB's COPY of the same columns, types and
// decoded cells, on two threads: whole commands in fresh processes, in turns. Prints the SQL, both
// sizes, times and peaks. A missed goal fails the run. Where other work shares the processors, their
// time says more than the clock.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from '../../src/bench/statistics/median'
import { wholeNumber } from '../bench-options'
import { prepareFeed } from '../data'
import { DUCKDB_TYPES, decodedColumns } from '../macro/duckdb-cells'
import { csvTable } from '../macro/duckdb-file'
import { SHAPE_NAMES, type ShapeName } from '../shapes/shape'
import { type WholeRun, wholeCommand, wholeScript } from './whole-sync'

/** What COPY takes, as a multiple of the time of the command. */
const LEAST_RATIO: { readonly [shape in ShapeName]?: number } = { varied: 1.5 }
const OTHER_LEAST_RATIO = 1.3
const MOST_MB = 200
const MOST_SIZE = 1.1
/** As the default of parquetSink. DuckDB's own default is 122,880. */
const GROUP_ROWS = 65_536

const COPY = `
import { DuckDBInstance } from '@duckdb/node-api'
const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
const connection = await instance.connect()
await connection.run(process.argv[1])
connection.closeSync()
instance.closeSync()`

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '3' },
    shape: { type: 'string', default: 'varied' },
    flat: { type: 'boolean', default: false },
    compression: { type: 'string', default: 'snappy' },
  },
})
const shape = SHAPE_NAMES.find(name => name === values.shape)
if (shape === undefined) throw new RangeError(`--shape is one of ${SHAPE_NAMES.join(', ')}`)
const megabytes = wholeNumber('--mb', values.mb)
const rounds = wholeNumber('--rounds', values.rounds)
const feed = await prepareFeed({ shape, seed: 1, megabytes }, '.tmp/bench-data')

const folder = await mkdtemp(join(tmpdir(), 'feedmill-parquet-'))
const [own, other] = [join(folder, 'feedmill.parquet'), join(folder, 'duckdb.parquet')]
// The decimals of a file of feedmill have 38 digits, as many of them behind the point.
const decimals = Object.fromEntries(
  Object.entries(DUCKDB_TYPES).map(([name, type]) => [
    name,
    type.startsWith('DECIMAL') ? 'DECIMAL(38, 10)' : type,
  ]),
)
const isNested = (name: string) => decodedColumns([name]) !== name
const columns = feed.columns.filter(name => !values.flat || !isNested(name))
const format = `FORMAT PARQUET, COMPRESSION ${values.compression}, ROW_GROUP_SIZE ${GROUP_ROWS}`
const sql = `COPY (SELECT ${decodedColumns(columns)} FROM ${csvTable(feed.path, feed.columns, decimals)}) TO '${other}' (${format})`
console.log(`${sql}\n`)

const flat = values.flat ? ['--columns', columns.join(',')] : []
const contenders: readonly [string, string, () => Promise<WholeRun>][] = [
  ['feedmill', own, () => wholeCommand(['convert', feed.path, own, '--feed', 'item', ...flat])],
  ['DuckDB', other, () => wholeScript(COPY, [sql])],
]
const runs = new Map<string, WholeRun[]>(contenders.map(([name]) => [name, []]))
const sizes = new Map<string, number>()
try {
  for (let round = 1; round <= rounds; round++)
    for (const [name, output, run] of contenders) {
      console.error(`round ${round} of ${rounds}: ${name}`)
      runs.get(name)!.push(await run())
      sizes.set(name, (await stat(output)).size / 1e6)
      await rm(output)
    }
} finally {
  await rm(folder, { recursive: true, force: true })
}

const middle = (name: string, what: keyof WholeRun) => median(runs.get(name)!.map(run => run[what]))
console.log(
  `${feed.rows} rows of ${shape}, ${(feed.rawBytes / 1e6).toFixed(0)} MB, medians of ${rounds}\n`,
)
console.log('             wall s    CPU s   peak MB   file MB')
for (const [name] of contenders) {
  const figures = (['seconds', 'cpuSeconds', 'peakMb'] as const).map(what => middle(name, what))
  const cells = [...figures, sizes.get(name)!].map(figure => figure.toFixed(2).padStart(9))
  console.log(name.padEnd(10) + cells.join(''))
}

function say(words: string, isMet: boolean): void {
  console.log(`${words}: ${isMet ? 'held' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}

const ratio = (what: keyof WholeRun) => middle('DuckDB', what) / middle('feedmill', what)
const least = LEAST_RATIO[shape] ?? OTHER_LEAST_RATIO
console.log(`\nprocessor time: COPY takes ${ratio('cpuSeconds').toFixed(2)} × that of convert`)
say(
  `COPY takes ${ratio('seconds').toFixed(2)} × the time, at least ${least}`,
  ratio('seconds') >= least,
)
const peak = Math.max(...runs.get('feedmill')!.map(({ peakMb }) => peakMb))
say(`peak ${peak.toFixed(0)} MB, at most ${MOST_MB}`, peak <= MOST_MB)
const size = sizes.get('feedmill')! / sizes.get('DuckDB')!
say(`the file has ${size.toFixed(3)} × the size, at most ${MOST_SIZE}`, size <= MOST_SIZE)
