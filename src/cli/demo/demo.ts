// `feedmill demo`: ingests one category (bootstrap, groups, a day of hourly snapshots) over a
// socket into a state folder, joins and writes it, and compares it with the truth of the emulated
// world.

import { availableParallelism } from 'node:os'
import { createWorld } from '../../emulator'
import { byteSizeText } from '../byte-size'
import type { DemoOptions } from '../emulator-commands'
import { FAILURE } from '../exit-code'
import { jsonText, print, printError } from '../output'
import { demoService, type Prepared, prepareFiles, startEmulator } from './demo-service'
import { type DemoOutcome, demoSync } from './demo-sync'

type DemoResult = ReturnType<typeof resultOf>

/**
 * The clock stands after the end of the last hour, because a snapshot file appears two hours after
 * the start of its hour (item-feeds.md, section 6).
 */
const LAST_SNAPSHOT_MS = 3_600_000

/** Runs the demo. Sets the exit code 1 when the result differs from the truth. */
export async function demo(options: DemoOptions): Promise<void> {
  const world = createWorld({ seed: options.seed, items: options.items })
  const { address, close } = await startEmulator(options.cli, options.items, options.seed)
  // The other process keeps this one alive, so it must end after every failure.
  try {
    const now = new Date(world.end.getTime() + LAST_SNAPSHOT_MS)
    const service = demoService(address, now)
    try {
      const prepared = await prepareFiles(service, world, !options.json)
      if (!options.json) await print([preparedLine(prepared), ''])
      const outcome = await demoSync({ options, address, service, now, world })
      await tell(options, outcome, prepared)
      if (outcome.problems.length > 0) process.exitCode = FAILURE
    } finally {
      await service.close()
    }
  } finally {
    await close()
  }
}

function preparedLine({ files, bytesCompressed, seconds }: Prepared): string {
  const made = `${files} files, ${byteSizeText(bytesCompressed)} of gzip`
  return `The emulated service made ${made}, in ${seconds.toFixed(1)} s. The times below do not hold that.`
}

async function tell(options: DemoOptions, outcome: DemoOutcome, prepared: Prepared): Promise<void> {
  const { problems, table } = outcome
  const result = resultOf(outcome, prepared)
  printError(problems.map(problem => `wrong: ${problem}`))
  await print(options.json ? jsonText(result) : [...table, '', ...resultLines(result, options.out)])
}

/** The object that `--json` prints. */
function resultOf({ problems, table: _, ...outcome }: DemoOutcome, { seconds }: Prepared) {
  const verified = problems.length === 0
  const rounded = (time: number) => Number(time.toFixed(3))
  return {
    ok: verified,
    verified,
    ...outcome,
    /** The time in which the emulated service made the files, before the measurement started. */
    prepareSeconds: rounded(seconds),
    ingestSeconds: rounded(outcome.ingestSeconds),
    writeSeconds: rounded(outcome.writeSeconds),
    checkSeconds: rounded(outcome.checkSeconds),
    // maxRSS is in kilobytes.
    peakRssMb: Number((process.resourceUsage().maxRSS / 1024).toFixed(1)),
  }
}

/** Describes the work, its speed and its verdict. A rate names the bytes that it counts. */
function resultLines(result: DemoResult, out: string): string[] {
  const { items, groups, snapshots, rows, bytesRaw, bytesCompressed, filesBeforeKill } = result
  const { ingestSeconds, writeSeconds, peakRssMb, verified } = result
  const data = `${rows} rows, ${byteSizeText(bytesRaw)} of TSV from ${byteSizeText(bytesCompressed)} of gzip,`
  const merged = 'merged into the state in'
  const ingested =
    filesBeforeKill === undefined
      ? [
          `${data} fetched over HTTP and ${merged} ${ingestSeconds} s: ${(bytesRaw / 1e6 / ingestSeconds).toFixed(0)} MB/s of TSV`,
        ]
      : [
          `a first run was killed with ${filesBeforeKill} files in the state; a second one went on from there`,
          `${data} fetched and ${merged} ${ingestSeconds} s by both runs`,
        ]
  return [
    ...ingested,
    `${items} items read from the state and written as NDJSON in ${writeSeconds} s`,
    `${availableParallelism()} cores for this process and the emulated service, peak RSS of this process ${peakRssMb} MB`,
    `${items} items merged from ${snapshots} snapshots, joined with ${groups} groups: ${verified ? 'equal to' : 'NOT'} the true state of the world`,
    `written to ${out}`,
  ]
}
