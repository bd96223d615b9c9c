// `feedmill demo`: one category over a socket (bootstrap, groups, a day of hourly snapshots), merged, joined, written,
// and compared with the truth that the emulated world knows.

import { createWorld, type World } from '../emulator/index'
import {
  concat,
  type FeedService,
  GroupJoiner,
  type MergedItem,
  ndjsonSink,
  type PipelineOptions,
  type PipelineSummary,
  pipeline,
  SnapshotMerger,
} from '../index'
import { GroupCheck, TruthCheck } from './demo-check'
import { bootstrap, demoService, groups, snapshots } from './demo-files'
import { startEmulator } from './emulator-process'
import { type ProgressBar, progressBar } from './progress-bar'
import { StageReport } from './stage-report'

export interface DemoOptions {
  readonly items: number
  readonly seed: number
  readonly chunkBytes: number
  readonly out: string
  readonly streamOnly: boolean
  readonly json: boolean
  /** The command's own script, which serves the emulated service in another process. */
  readonly cli: string
}

/** What `--json` prints. */
export interface DemoResult {
  readonly ok: boolean
  readonly verified: boolean
  readonly items: number
  readonly groups: number
  readonly snapshots: number
  readonly rows: number
  readonly bytesCompressed: number
  readonly bytesRaw: number
  readonly seconds: number
  readonly peakRssMb: number
}

const SNAPSHOTS = 24
/** After the end of the last hour: a snapshot file is there two hours after its hour began (document 2, Limits). */
const LAST_SNAPSHOT_MS = 3_600_000

/** Runs the demo; the exit code is 1 where the result is not the truth. */
export async function demo(options: DemoOptions): Promise<void> {
  const report = new StageReport()
  const world = createWorld({ seed: options.seed, items: options.items })
  const emulator = await startEmulator(options.cli, options.items, options.seed)
  // The other process keeps this one alive: whatever fails from here on, it is ended.
  try {
    const service = demoService(emulator, new Date(world.end.getTime() + LAST_SNAPSHOT_MS), options.chunkBytes)
    await run(options, service, world, report).finally(() => service.close())
  } finally {
    await emulator.close()
  }
}

async function run(options: DemoOptions, service: FeedService, world: World, report: StageReport): Promise<void> {
  const bar = progressBar(options.streamOnly ? 1 : 2 + SNAPSHOTS, !options.json)
  const perFile = { onSettled: countFile(report, bar) }
  const startedAt = performance.now()
  try {
    const job = { service, world, out: options.out, report, perFile }
    const outcome = options.streamOnly ? await streamOnly(job) : await ingest(job)
    bar.stop()
    tell(options, report, outcome, (performance.now() - startedAt) / 1000)
    if (outcome.problems.length > 0) process.exitCode = 1
  } finally {
    bar.stop()
  }
}

interface Job {
  readonly service: FeedService
  /** The same world as the emulated service's, for its truth. */
  readonly world: World
  readonly out: string
  readonly report: StageReport
  readonly perFile: PipelineOptions
}

interface Outcome {
  readonly items: number
  readonly groups: number
  readonly snapshots: number
  /** What differs from the truth; empty when all is right. */
  readonly problems: readonly string[]
}

async function ingest({ service, world, out, report, perFile }: Job): Promise<Outcome> {
  const counted = (stage: string): PipelineOptions => ({ onSettled: summary => report.add(summary, stage) })
  const merger = new SnapshotMerger({ changes: 'none' })
  const files = [bootstrap(service, perFile), ...snapshots(service, world.start, SNAPSHOTS, perFile)]
  await concat(files, counted('SnapshotMerger'))
    .to(merger)
    .forEach(() => {})

  const truth = new TruthCheck(world, world.end)
  const groupCheck = new GroupCheck(world, world.start)
  const joiner = new GroupJoiner({ groups: groups(service, perFile).batches(), row: (entry: MergedItem) => entry.row })
  await pipeline(merger.blocks(), counted('GroupJoiner'))
    .to(joiner)
    .tap(joined => {
      groupCheck.join(joined)
      if (joined.item) truth.row(joined.item.itemId, joined.item.row)
    })
    .filter(({ item }) => item !== null)
    .map(({ item, group }) => ({ ...item!.row.toObject(), group: group?.toObject() ?? null }))
    .run(ndjsonSink(out))
  truth.end()
  const problems = [...truth.mismatches.map(({ itemId, what }) => `${itemId} ${what}`), ...groupCheck.problems(joiner.tally.groups)]
  return { items: truth.rows, groups: joiner.tally.groups, snapshots: SNAPSHOTS, problems }
}

/** The bootstrap file alone, in constant memory whatever its size. */
async function streamOnly({ service, world, out, perFile }: Job): Promise<Outcome> {
  const truth = new TruthCheck(world, world.start)
  await bootstrap(service, perFile)
    .tap(row => truth.row(row.text('itemId'), row))
    .run(ndjsonSink(out))
  truth.end()
  return { items: truth.rows, groups: 0, snapshots: 0, problems: truth.mismatches.map(({ itemId, what }) => `${itemId} ${what}`) }
}

function countFile(report: StageReport, bar: ProgressBar): (summary: PipelineSummary) => void {
  let files = 0
  return summary => {
    report.add(summary)
    bar.update(++files, `${report.total('TsvRowParser').rowsOut} rows`)
  }
}

function tell(options: DemoOptions, report: StageReport, outcome: Outcome, seconds: number): void {
  const { items, groups, snapshots, problems } = outcome
  const verified = problems.length === 0
  const parser = report.total('TsvRowParser')
  const result: DemoResult = {
    ok: verified,
    verified,
    items,
    groups,
    snapshots,
    rows: parser.rowsOut,
    bytesCompressed: report.total('Gunzip').bytesIn,
    bytesRaw: parser.bytesIn,
    seconds: Number(seconds.toFixed(3)),
    // maxRSS is in kilobytes.
    peakRssMb: Number((process.resourceUsage().maxRSS / 1024).toFixed(1)),
  }
  for (const problem of problems) console.error(`wrong: ${problem}`)
  if (options.json) console.log(JSON.stringify(result))
  else console.log(`${report.table()}\n\n${summaryLine(result, options.out)}`)
}

function summaryLine(result: DemoResult, out: string): string {
  const { rows, items, groups, snapshots, bytesRaw, seconds, peakRssMb, verified } = result
  const rate = (bytesRaw / 1e6 / seconds).toFixed(0)
  const what = snapshots > 0 ? `${items} items merged from ${snapshots} snapshots, joined with ${groups} groups` : `${items} items`
  const outcome = verified ? 'equal to the true state of the world' : 'NOT the true state of the world'
  return `${rows} rows in ${seconds} s (${rate} MB/s of TSV), peak RSS ${peakRssMb} MB\n${what}: ${outcome}\nwritten to ${out}`
}
