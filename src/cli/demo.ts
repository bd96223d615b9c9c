// `feedmill demo`: one category over a socket (bootstrap, groups, a day of hourly snapshots) into a state folder, joined, written,
// and compared with the truth that the emulated world knows.

import { createWorld } from '../emulator/index'
import { demoService } from './demo-files'
import type { DemoOptions, DemoOutcome } from './demo-job'
import { demoStream } from './demo-stream'
import { demoSync } from './demo-sync'
import { startEmulator } from './emulator-process'

/** What `--json` prints. */
export interface DemoResult extends Omit<DemoOutcome, 'problems' | 'table'> {
  readonly ok: boolean
  readonly verified: boolean
  readonly seconds: number
  readonly peakRssMb: number
}

/** After the end of the last hour: a snapshot file is there two hours after its hour began (document 2, Limits). */
const LAST_SNAPSHOT_MS = 3_600_000

/** Runs the demo; the exit code is 1 where the result is not the truth. */
export async function demo(options: DemoOptions): Promise<void> {
  const world = createWorld({ seed: options.seed, items: options.items })
  const address = await startEmulator(options.cli, options.items, options.seed)
  // The other process keeps this one alive: whatever fails from here on, it is ended.
  try {
    const now = new Date(world.end.getTime() + LAST_SNAPSHOT_MS)
    const service = demoService(address, now, options.chunkBytes)
    const startedAt = performance.now()
    const job = { options, address, service, now, world }
    const outcome = await (options.streamOnly ? demoStream(job) : demoSync(job)).finally(() => service.close())
    tell(options, outcome, (performance.now() - startedAt) / 1000)
    if (outcome.problems.length > 0) process.exitCode = 1
  } finally {
    await address.close()
  }
}

function tell(options: DemoOptions, { problems, table, ...counts }: DemoOutcome, seconds: number): void {
  const verified = problems.length === 0
  const result: DemoResult = {
    ok: verified,
    verified,
    ...counts,
    seconds: Number(seconds.toFixed(3)),
    // maxRSS is in kilobytes.
    peakRssMb: Number((process.resourceUsage().maxRSS / 1024).toFixed(1)),
  }
  for (const problem of problems) console.error(`wrong: ${problem}`)
  if (options.json) console.log(JSON.stringify(result))
  else console.log([table, '', ...resultLines(result, options.out)].join('\n'))
}

function resultLines(result: DemoResult, out: string): string[] {
  const { rows, items, groups, snapshots, bytesRaw, seconds, peakRssMb, verified, filesBeforeKill } = result
  const rate = (bytesRaw / 1e6 / seconds).toFixed(0)
  const what = snapshots > 0 ? `${items} items merged from ${snapshots} snapshots, joined with ${groups} groups` : `${items} items`
  const outcome = verified ? 'equal to the true state of the world' : 'NOT the true state of the world'
  const killed = `a first run was killed with ${filesBeforeKill} files in the state; a second one went on from there`
  return [
    ...(filesBeforeKill === undefined ? [] : [killed]),
    `${rows} rows in ${seconds} s (${rate} MB/s of TSV), peak RSS ${peakRssMb} MB`,
    `${what}: ${outcome}`,
    `written to ${out}`,
  ]
}
