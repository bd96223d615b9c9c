// What the parser and the decoders give to a quarantine: the bytes of the rows that they leave out.
// How a record is written is quarantine-records.ts; the files are the concern of the
// implementations.

import type { FeedError, RowPosition } from '../../errors'
import type { Columns, FeedFile } from '../../schema/feed-schema'
import type { Row } from '../row-batch'
import type { CellRules } from '../tsv/cell-rules'
import type { BoundHeader } from '../tsv/header'

/** The file of rows that were left out. All of its rows have the same object. */
export interface QuarantinedFile {
  /** What the caller of the parser said about the file. */
  readonly file: FeedFile
  /** The names of the columns, as the header line spells them. */
  readonly columns: readonly string[]
  /** How cells are written; undefined where as in the documented files. */
  readonly cells?: CellRules
  /** Another name of the file; in a state folder the text of `fileIdKey`. */
  readonly name?: string
}

/** Bytes of a row that was left out. */
export interface LeftOutBytes {
  readonly of: QuarantinedFile
  /** The position of the first byte; `row` is the number of the row. */
  readonly position: RowPosition
  /** Exact bytes of the file, with the line end. They are valid during the call only. */
  readonly bytes: Uint8Array
  /** Why the row was left out. Undefined for further bytes of the row before, which was too long. */
  readonly reason: LeftOutReason | undefined
}

/** Why a row was left out. */
export interface LeftOutReason {
  /** The code of the error. */
  readonly code: string
  /** The message of the error. */
  readonly message: string
  /** The column of a cell that cannot be read. */
  readonly column?: string
}

/**
 * Takes rows that are left out, with all of their bytes. `quarantine(path)` makes one, for
 * `onBadRow` and `onBadCell`.
 */
export interface RowQuarantine {
  /** Takes bytes at once. A row that is longer than `maxRowBytes` comes in several calls. */
  take(leftOut: LeftOutBytes): void
  /**
   * Writes what was taken. A stage waits for it before its next output, so no more than the bad
   * rows of one block wait in memory. Undefined where nothing has to be waited for.
   */
  settle(): Promise<void> | undefined
  /** Makes durable what was taken. A stage waits for it before it ends. */
  flush(): Promise<void> | undefined
}

const FILES = new WeakMap<BoundHeader, QuarantinedFile>()

/** The file of the rows under a header: one object for each header. */
export function quarantinedFile(file: FeedFile, header: BoundHeader): QuarantinedFile {
  const known = FILES.get(header)
  if (known !== undefined && known.file === file) return known
  const { columns, cells } = header
  const names = columns.map(({ heading }) => heading)
  const made: QuarantinedFile = { file, columns: names, ...(cells && { cells }) }
  FILES.set(header, made)
  return made
}

/** A row of a batch that is left out because of an error. The batch has all columns of its file. */
export function leftOutRow(
  { batch, slot, position }: Row<Columns>,
  error: FeedError,
): LeftOutBytes {
  const { code, message } = error
  const { column } = error.context as { readonly column?: string }
  return {
    of: quarantinedFile(batch.file, batch.header),
    position,
    bytes: batch.lineOf(slot),
    reason: { code, message, ...(column !== undefined && { column }) },
  }
}
