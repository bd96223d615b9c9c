// `feedmill demo`: ingests one category (bootstrap, groups, a day of hourly snapshots) over a
// socket into a state folder, joins and writes it, and compares it with the truth of the emulated
// world.

import { availableParallelism } from 'node:os'
import { createWorld } from '../../emulator'
import { byteSizeText } from '../byte-size'
import { jsonText, print, printError } from '../output'
import { type DemoOptions, type DemoOutcome, demoService } from './demo-job'
import { type Prepared, prepareFiles } from './demo-prepare'
import { demoStream } from './demo-stream'
import { demoSync } from './demo-sync'
import { startEmulator } from './emulator-process'

/** The object that `--json` prints. */
export interface DemoResult extends Omit<DemoOutcome, 'problems' | 'table'> {
  readonly ok: boolean
  readonly verified: boolean
  /** The time in which the emulated service made the files, before the measurement started. */
  readonly prepareSeconds: number
  readonly peakRssMb: number
}

/**
 * The clock stands after the end of the last hour, because a snapshot file appears two hours after
 * the start of its hour (item-feeds.md, section 6).
 */
const LAST_SNAPSHOT_MS = 3_600_000

/** Runs the demo. Sets the exit code 1 when the result differs from the truth. */
export async function demo(options: DemoOptions): Promise<void> {
  const world = createWorld({ seed: options.seed, items: options.items })
  const address = await startEmulator(options.cli, options.items, options.seed)
  // The other process keeps this one alive, so it must end after every failure.
  try {
    const now = new Date(world.end.getTime() + LAST_SNAPSHOT_MS)
    const service = demoService(address, now, options.chunkBytes)
    try {
      const prepared = await prepareFiles(service, world, options)
      if (!options.json) await print([preparedLine(prepared), ''])
      const job = { options, address, service, now, world }
      const outcome = await (options.streamOnly ? demoStream(job) : demoSync(job))
      await tell(options, outcome, prepared)
      if (outcome.problems.length > 0) process.exitCode = 1
    } finally {
      await service.close()
    }
  } finally {
    await address.close()
  }
}

function preparedLine({ files, bytesCompressed, seconds }: Prepared): string {
  const made = `${files} ${files === 1 ? 'file' : 'files'}, ${byteSizeText(bytesCompressed)} of gzip`
  return `The emulated service made ${made}, in ${seconds.toFixed(1)} s. The times below do not hold that.`
}

async function tell(
  options: DemoOptions,
  { problems, table, ...outcome }: DemoOutcome,
  prepared: Prepared,
): Promise<void> {
  const verified = problems.length === 0
  const { ingestSeconds, writeSeconds, checkSeconds, ...counts } = outcome
  const rounded = (seconds: number) => Number(seconds.toFixed(3))
  const result: DemoResult = {
    ok: verified,
    verified,
    ...counts,
    prepareSeconds: rounded(prepared.seconds),
    ingestSeconds: rounded(ingestSeconds),
    ...(writeSeconds !== undefined && { writeSeconds: rounded(writeSeconds) }),
    checkSeconds: rounded(checkSeconds),
    // maxRSS is in kilobytes.
    peakRssMb: Number((process.resourceUsage().maxRSS / 1024).toFixed(1)),
  }
  printError(problems.map(problem => `wrong: ${problem}`))
  await print(options.json ? jsonText(result) : [...table, '', ...resultLines(result, options.out)])
}

/** Describes the work, its speed and its verdict. A rate names the bytes that it counts. */
export function resultLines(result: DemoResult, out: string): string[] {
  const { items, groups, snapshots, writeSeconds, peakRssMb, verified } = result
  const what =
    snapshots > 0
      ? `${items} items merged from ${snapshots} snapshots, joined with ${groups} groups`
      : `${items} items`
  const outcome = verified
    ? 'equal to the true state of the world'
    : 'NOT the true state of the world'
  return [
    ...ingestLines(result),
    ...(writeSeconds === undefined
      ? []
      : [`${items} items read from the state and written as NDJSON in ${writeSeconds} s`]),
    `${availableParallelism()} cores for this process and the emulated service, peak RSS of this process ${peakRssMb} MB`,
    `${what}: ${outcome}`,
    `written to ${out}`,
  ]
}

function ingestLines({
  rows,
  bytesRaw,
  bytesCompressed,
  snapshots,
  ingestSeconds,
  filesBeforeKill,
}: DemoResult): string[] {
  const data = `${rows} rows, ${byteSizeText(bytesRaw)} of TSV from ${byteSizeText(bytesCompressed)} of gzip,`
  if (filesBeforeKill !== undefined) {
    const killed = `a first run was killed with ${filesBeforeKill} files in the state; a second one went on from there`
    return [killed, `${data} fetched and merged into the state in ${ingestSeconds} s by both runs`]
  }
  const how =
    snapshots > 0
      ? 'fetched over HTTP and merged into the state'
      : 'fetched over HTTP, decoded and written as NDJSON'
  return [
    `${data} ${how} in ${ingestSeconds} s: ${(bytesRaw / 1e6 / ingestSeconds).toFixed(0)} MB/s of TSV`,
  ]
}
