// The rows of files that are applied together on their way into sorted runs.

import { inspect } from 'node:util'
import { FeedError, type FileIdentity, orUndo } from '../../engine/index'
import {
  fileRecordOf,
  SortedRuns,
  type SortedRunsOptions,
  type WrittenRun,
} from '../../state/index'
import type { RowRules } from '../file/row-rules'
import { type FileId, feedFileOf } from '../file-id'
import type { TargetFile } from '../target/target'

/**
 * Writes the rows of files to runs, but for those that are saved.
 * @returns undefined where other rows were saved than the files have
 */
export function sortFiles(
  files: readonly TargetFile[],
  options: SortedRunsOptions,
): Promise<readonly WrittenRun[] | undefined> {
  const runs = new SortedRuns(options)
  const sort = async () => {
    for (const file of files) {
      for await (const rows of file.rows()) {
        file.signal.throwIfAborted()
        const waits = runs.add(rows)
        if (waits !== undefined) await waits
      }
    }
    const written = await runs.end()
    return runs.isSame ? written : undefined
  }
  return orUndo(sort, () => runs.abort())
}

/** Tells whether files failed for a reason that is none of theirs: what is saved of them stays. */
export function isInterruption(error: unknown, [file]: readonly TargetFile[]): boolean {
  return file!.signal.aborted || (FeedError.is(error) && error.code === 'STATE_IO')
}

/** Returns a text that is equal for equal files whose rows are read by equal rules. */
export function textOf(files: readonly TargetFile[], own: RowRules | undefined): string {
  const whole = { depth: 9, maxArrayLength: null }
  return inspect([files.map(({ id, identity }) => ({ id, identity })), own], whole)
}

/** The file of an origin, as the rows of a file have it. */
export function recordKey(id: FileId, { lastModified }: FileIdentity): string {
  return JSON.stringify(fileRecordOf(feedFileOf(id, lastModified)))
}
