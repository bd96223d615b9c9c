// `feedmill replay`: puts the mended rows of quarantines back into a state folder, or writes them.

import { type Columns, ndjsonSink, pipeline, type RowBatch, replay } from '../../index'
import { replayIntoState } from '../../sync/index'
import { FAILURE } from '../exit-code'
import { print } from '../output'

export interface ReplayCommand {
  /** The state folder that the quarantines came from. */
  readonly state?: string
  /** A file for the rows, in place of a state folder. */
  readonly out?: string
  readonly json: boolean
}

/** The exit code is 1 when rows stay in quarantine. */
export async function replayCommand(
  files: readonly string[],
  { state, out, json }: ReplayCommand,
): Promise<void> {
  if (state === undefined) return write(files, out!, json)
  const summary = await replayIntoState({ folder: state, files })
  const { rowsRead, merged, stale, stillBad, tooOld } = summary
  await print(
    json
      ? JSON.stringify(summary)
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
  await print(json ? JSON.stringify({ rowsRead: rows }) : `${rows} rows written to ${out}`)
}
