// The file of `feedmill bench --append`: a history of figures, to which each run adds its lines. A
// run that is killed leaves the history as it was, or with all of its lines.

import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { type BenchReport, HISTORY_HEADER, historyLines } from '../../bench/index'
import { FeedError } from '../../index'
import { writeTextFile } from '../text-file'
import { usageError } from '../usage-error'

/** Room for a hundred thousand lines. The whole file is written anew each time. */
const MOST_BYTES = 16 * 1024 * 1024

/** @throws FeedError OPTION_INVALID for another file, SINK_FAILED */
export async function appendToHistory(path: string, report: BenchReport): Promise<void> {
  await writeTextFile(path, (await readHistory(path)) + historyLines(report))
}

/**
 * Returns the text of a history, or that of one without lines where there is no file.
 * @throws FeedError OPTION_INVALID for any other file
 */
export async function readHistory(path: string): Promise<string> {
  const bytes = await bytesOf(path)
  if (bytes === undefined) return HISTORY_HEADER
  const text = bytes.toString()
  if (!text.startsWith(HISTORY_HEADER)) throw refused(path, 'its first line is another one')
  if (!isUtf8(bytes)) throw refused(path, 'it is not UTF-8')
  if (!text.endsWith('\n')) throw refused(path, 'its last line has no end')
  return text
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw refused(path, 'it is not a regular file')
    if (found.size > MOST_BYTES) throw refused(path, `it has more than ${MOST_BYTES} bytes`)
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw FeedError.is(error) ? error : refused(path, String(error))
  }
}

function refused(path: string, reason: string): FeedError {
  const message = `${path} cannot be the history: ${reason}`
  return usageError('--append', 'a history that --append began, or no file', path, message)
}
