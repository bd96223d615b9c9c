// The work of the demo: it synchronises a category into a state folder, compares it with the truth
// of the emulated world, and writes it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { World } from '../../emulator'
import { FeedError, ndjsonSink, pipeline } from '../../index'
import type { FeedService } from '../../service'
import { type AppliedFile, type OpenCategory, openState, stateItemObject, sync } from '../../sync'
import type { DemoOptions } from '../emulator-commands'
import { given } from '../given'
import { progressBar } from '../progress-bar'
import { type ServeAddress, serviceVariables } from '../serve'
import { progressText } from '../sync/sync-lines'
import { textTable } from '../text-table'
import { GroupCheck, TruthCheck } from './demo-check'
import { FILES, PLACE, RANGES } from './demo-service'

/** The rows between two looks at the clock. */
const ROWS_A_STEP = 1_000
/** The number of applied files after which the first run is killed. */
const FILES_BEFORE_KILL = 9

export interface DemoJob {
  readonly options: DemoOptions
  readonly address: ServeAddress
  readonly service: FeedService
  /** The fixed clock of the service. */
  readonly now: Date
  /** The same world as that of the emulated service. It provides the truth. */
  readonly world: World
}

export type DemoOutcome = Awaited<ReturnType<typeof demoSync>>

export async function demoSync(job: DemoJob) {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-demo-'))
  try {
    const startedAt = performance.now()
    const filesBeforeKill = job.options.interrupt ? await killedRun(job, folder) : undefined
    await synchronise(job, folder)
    const ingestSeconds = (performance.now() - startedAt) / 1000
    return {
      ...(await verified(job, folder)),
      /** The time from the first request to the last merged row. */
      ingestSeconds,
      /**
       * The number of files that the first run applied before it was killed. Missing without such a
       * run.
       */
      ...given({ filesBeforeKill }),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Kills a synchronisation in a process of its own in the middle, as a machine that loses power
 * would end it. Returns how many files the run reported.
 */
async function killedRun({ options, address, now }: DemoJob, folder: string): Promise<number> {
  const where = ['--marketplace', PLACE.marketplace, '--category', PLACE.categoryId]
  // With `--follow` the run does not end by itself, so the signal always reaches a living process.
  const how = ['--state', folder, '--now', now.toISOString(), '--follow', '--json']
  const child = spawn(process.execPath, [options.cli, 'sync', ...where, ...how], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...serviceVariables(address) },
  })
  const exited = once(child, 'exit')
  let done = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if ((JSON.parse(line) as { type?: unknown }).type !== 'done') continue
    if (++done === FILES_BEFORE_KILL) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  if (signal === 'SIGKILL') return done
  const message = 'the run ended before the demo could kill it: use more items'
  throw new FeedError('STAGE_FAILED', message, { stage: 'demo' })
}

async function synchronise({ options, service }: DemoJob, folder: string): Promise<void> {
  const bar = progressBar(FILES, !options.json)
  const { marketplace, categoryId } = PLACE
  const place = { marketplace, categories: [categoryId], folder }
  const run = sync({ service, ...place, ranges: RANGES, progressMs: 100 })
  try {
    for await (const event of run)
      if (event.type === 'progress') bar.update(event.files, progressText(event))
    await run.summary
  } finally {
    bar.stop()
  }
}

async function verified({ options, world }: DemoJob, folder: string) {
  const state = await openState(folder)
  const bar = progressBar(options.items, !options.json)
  try {
    const category = state.categories[0]!
    const truth = new TruthCheck(world, world.end)
    const groups = new GroupCheck(world, world.start)
    const startedAt = performance.now()
    await pipeline(category.items())
      .tap(({ itemId, row, group }) => {
        truth.row(itemId, row)
        groups.row(row, group)
        if (truth.rows % ROWS_A_STEP === 0) bar.update(truth.rows, 'items written and compared')
      })
      .map(stateItemObject)
      .run(ndjsonSink(options.out))
    const writeSeconds = (performance.now() - startedAt) / 1000 - truth.seconds
    truth.end()
    const outcome = outcomeOf(category)
    return {
      ...outcome,
      items: truth.rows,
      /** The time of writing the merged items. */
      writeSeconds,
      /** The time of the comparison with the truth, which the other times do not include. */
      checkSeconds: truth.seconds,
      /** The differences from the truth. Empty when the result is right. */
      problems: [...truth.problems, ...groups.problems(outcome.groups)],
    }
  } finally {
    bar.stop()
    await state.close()
  }
}

const HEADING = ['feed', 'files', 'MB', 'MB of TSV', 'rows', 'inserted', 'updated', 'deleted']

function outcomeOf({ files }: OpenCategory) {
  const of = (feed: AppliedFile['id']['feed']) => files.filter(({ id }) => id.feed === feed)
  return {
    groups: total(of('item_group'), ({ rows }) => rows.inserted),
    snapshots: of('item_snapshot').length,
    rows: total(files, rowsIn),
    bytesCompressed: total(files, ({ totalBytes }) => totalBytes),
    bytesRaw: total(files, ({ rawBytes }) => rawBytes),
    /** A description of the work for people. */
    table: textTable(HEADING, [of('item'), of('item_group'), of('item_snapshot')].map(lineOf)),
  }
}

function lineOf(files: readonly AppliedFile[]): string[] {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
  return [
    files[0]?.id.feed ?? '',
    String(files.length),
    megabytes(total(files, ({ totalBytes }) => totalBytes)),
    megabytes(total(files, ({ rawBytes }) => rawBytes)),
    String(total(files, rowsIn)),
    ...(['inserted', 'updated', 'deleted'] as const).map(kind =>
      String(total(files, ({ rows }) => rows[kind])),
    ),
  ]
}

function rowsIn({ rows }: AppliedFile): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

function total(files: readonly AppliedFile[], of: (file: AppliedFile) => number): number {
  return files.reduce((sum, file) => sum + of(file), 0)
}
