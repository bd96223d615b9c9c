// The demo through a state folder: it synchronises a category, compares it with the truth of the
// emulated world, and writes it.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ndjsonSink, pipeline } from '../../index'
import { type LedgerEntry, type OpenCategory, openState, stateItemObject, sync } from '../../sync'
import { progressBar } from '../progress-bar'
import { progressText } from '../sync/sync-lines'
import { textTable } from '../text-table'
import { GroupCheck, TruthCheck } from './demo-check'
import {
  CATEGORY,
  type DemoJob,
  type DemoOutcome,
  demoRanges,
  FILES,
  MARKETPLACE,
} from './demo-job'
import { killedRun } from './demo-kill'

/** The rows between two looks at the clock. */
const ROWS_A_STEP = 1_000
/** The number of applied files after which the first run is killed. */
const FILES_BEFORE_KILL = 9

export async function demoSync(job: DemoJob): Promise<DemoOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-demo-'))
  try {
    const startedAt = performance.now()
    const filesBeforeKill = job.options.interrupt
      ? await killedRun(job, folder, FILES_BEFORE_KILL)
      : undefined
    await synchronise(job, folder)
    const ingestSeconds = (performance.now() - startedAt) / 1000
    return {
      ...(await verified(job, folder)),
      ingestSeconds,
      ...(filesBeforeKill !== undefined && { filesBeforeKill }),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function synchronise({ options, service }: DemoJob, folder: string): Promise<void> {
  const bar = progressBar(FILES, !options.json)
  const run = sync({
    service,
    marketplace: MARKETPLACE,
    categories: [CATEGORY],
    folder,
    ranges: demoRanges(options.chunkBytes),
    progressMs: 100,
  })
  try {
    for await (const event of run)
      if (event.type === 'progress') bar.update(event.files, progressText(event))
    await run.summary
  } finally {
    bar.stop()
  }
}

async function verified(
  { options, world }: DemoJob,
  folder: string,
): Promise<Omit<DemoOutcome, 'ingestSeconds'>> {
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
      writeSeconds,
      checkSeconds: truth.seconds,
      problems: [...truth.problems, ...groups.problems(outcome.groups)],
    }
  } finally {
    bar.stop()
    await state.close()
  }
}

function outcomeOf({
  files,
}: OpenCategory): Omit<DemoOutcome, 'items' | 'problems' | 'ingestSeconds' | 'checkSeconds'> {
  const of = (feed: LedgerEntry['id']['feed']) => files.filter(({ id }) => id.feed === feed)
  return {
    groups: total(of('item_group'), ({ rows }) => rows.inserted),
    snapshots: of('item_snapshot').length,
    rows: total(files, rowsIn),
    bytesCompressed: total(files, ({ totalBytes }) => totalBytes),
    bytesRaw: total(files, ({ rawBytes }) => rawBytes),
    table: textTable(HEADING, [of('item'), of('item_group'), of('item_snapshot')].map(lineOf)),
  }
}

const HEADING = ['feed', 'files', 'MB', 'MB of TSV', 'rows', 'inserted', 'updated', 'deleted']

function lineOf(files: readonly LedgerEntry[]): string[] {
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

function rowsIn({ rows }: LedgerEntry): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

function total(files: readonly LedgerEntry[], of: (file: LedgerEntry) => number): number {
  return files.reduce((sum, file) => sum + of(file), 0)
}
