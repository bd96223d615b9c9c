// `feedmill replay`: puts the mended rows of quarantines back into a state folder, or writes them.

import { type Columns, ndjsonSink, pipeline, type RowBatch, replay } from '../../index'
import { replayIntoState } from '../../sync'
import { FAILURE } from '../exit-code'
import { jsonText, print } from '../output'
import { appendingSink } from './change-file'
import { feedOf } from './feed-of'
import type { ReplayCommand } from './state-commands'

/** The exit code is 1 when rows stay in quarantine. */
export async function replayCommand(
  files: readonly string[],
  { state, source, out, changes, changesFormat, json }: ReplayCommand,
): Promise<void> {
  if (state === undefined) return write(files, out!, json)
  const own = source !== undefined && { source: await feedOf(source, false) }
  const sink = changes === undefined ? undefined : appendingSink(changes, changesFormat)
  const told = sink && {
    changes: sink,
    changeRows: changesFormat === 'debezium' ? ('both' as const) : ('after' as const),
  }
  const summary = await replayIntoState({ folder: state, files, ...own, ...told }).finally(() =>
    sink?.close(),
  )
  const { rowsRead, merged, stale, stillBad, tooOld } = summary
  await print(
    json
      ? jsonText(summary)
      : `${rowsRead} rows read: ${merged} merged, ${stale} no news, ${stillBad} still bad, ${tooOld} too old`,
  )
  if (stillBad + tooOld > 0) process.exitCode = FAILURE
}

/** Writes the rows as text; the first row that is still bad fails the command. */
async function write(files: readonly string[], out: string, json: boolean): Promise<void> {
  async function* batches(): AsyncGenerator<RowBatch<Columns>, void, void> {
    for (const file of files) yield* replay(file)
  }
  const { stages } = await pipeline(batches()).run(ndjsonSink(out))
  const rows = stages[0]?.rowsOut ?? 0
  await print(json ? jsonText({ rowsRead: rows }) : `${rows} rows written to ${out}`)
}
