// `feedmill replay`: puts the mended rows of quarantines back into a state folder, or writes them.

import { open } from 'node:fs/promises'
import { type Columns, ndjsonSink, pipeline, type RowBatch, replay } from '../../index'
import { replayIntoState } from '../../sync'
import { FAILURE } from '../exit-code'
import { jsonText, print } from '../output'
import { appendingSink, type ChangeFormat } from './change-file'

export interface ReplayCommand {
  /** The state folder that the quarantines came from. */
  readonly state?: string
  /** A file for the rows, in place of a state folder. */
  readonly out?: string
  /** A file for the changes of the state, in place of a log in the folder. */
  readonly changes?: string
  /** The form of the lines in that file. */
  readonly changesFormat?: ChangeFormat
  readonly json: boolean
}

/** The exit code is 1 when rows stay in quarantine. */
export async function replayCommand(
  files: readonly string[],
  { state, out, changes, changesFormat = 'plain', json }: ReplayCommand,
): Promise<void> {
  if (state === undefined) return write(files, out!, json)
  const sink = changes === undefined ? undefined : appendingSink(changes, open, changesFormat)
  const told = sink && {
    changes: sink,
    changeRows: changesFormat === 'debezium' ? ('both' as const) : ('after' as const),
  }
  const summary = await replayIntoState({ folder: state, files, ...told }).finally(() =>
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
