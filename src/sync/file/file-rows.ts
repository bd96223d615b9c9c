// The rows of a verified file, as a target takes them: good rows, with their keys and versions.

import { join } from 'node:path'
import {
  type Columns,
  type DurableFiles,
  FeedError,
  headOf,
  leftOutRow,
  machineFiles,
  QuarantineWriter,
  type RegisterHead,
  type Row,
  type RowBatch,
  type RowQuarantine,
  rowsWithBadCells,
  TsvParser,
  versionOfRow,
} from '../../engine/index'
import { isRowError, keyOfRow } from '../../state/index'
import {
  type FileId,
  feedFileOf,
  fileIdKey,
  isBootstrap,
  keyColumnOf,
  localNameOf,
  readDate,
  schemaOfFile,
} from '../file-id'
import { openSpooled, type SpoolFolder, spoolFailure } from '../target/spool-folder'
import type { AppliedFile, BadCellCount, TargetFile, TargetRows } from '../target/target'
import { batchesOf } from './file-inflater'
import type { ProvenFile } from './finish-file'
import { refuseRemoval } from './removal-check'

export interface FileRowsOptions {
  readonly spools: SpoolFolder
  readonly maxRemovedShare: number
  readonly signal: AbortSignal
  /** Called with the number of rows that were read. */
  readonly onRows: (rows: number) => void
  /** The folder for the rows that the target does not get. */
  readonly quarantineFolder?: string | undefined
}

export class FileRows implements TargetFile {
  readonly id: FileId
  readonly identity: ProvenFile['identity']
  readonly rawBytes: number
  readonly generated: Date | undefined
  readonly #options: FileRowsOptions
  /** Rows without a key or a version. */
  #unmerged = 0
  #unreadable = 0
  #rowsRead = 0
  #cells = new CellCheck({}, undefined)

  constructor({ id, identity, rawBytes }: ProvenFile, options: FileRowsOptions) {
    this.id = id
    this.identity = identity
    this.rawBytes = rawBytes
    this.generated = isBootstrap(id) ? readDate(id.generation) : undefined
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#options.signal
  }

  get badRows(): number {
    return this.#unmerged + this.#unreadable
  }

  /** What the last reading has counted. */
  get counts(): Pick<AppliedFile, 'rowsRead' | keyof BadCellCount> {
    return { rowsRead: this.#rowsRead, ...this.#cells.found }
  }

  async *rows(): AsyncGenerator<TargetRows, void, void> {
    this.#unmerged = 0
    this.#unreadable = 0
    if (this.identity.totalBytes === 0) return
    const { spools, onRows, quarantineFolder } = this.#options
    const place =
      quarantineFolder && join(quarantineFolder, `${localNameOf(this.id)}.quarantine.ndjson`)
    // It appears whole, before the target commits the rows, and a repeated reading replaces it.
    const quarantine = place ? newQuarantine(machineFiles, `${place}.partial`, this.id) : undefined
    this.#cells = new CellCheck({}, quarantine)
    const data = await openSpooled(spools, this.id)
    const parser = new TsvParser<Columns>({
      schema: schemaOfFile(this.id),
      file: feedFileOf(this.id, this.identity.lastModified),
      onBadRow: quarantine ?? 'skip',
    })
    try {
      await quarantine?.cut()
      for await (const batch of batchesOf(data, parser, this.signal, quarantine)) {
        const rows = this.#rowsOf(batch, quarantine)
        yield rows
        onRows(rows.keys.length)
      }
      if (place !== undefined) await quarantine?.replace(place)
    } catch (cause) {
      throw spoolFailure(spools, this.id, cause)
    } finally {
      this.#unreadable = parser.badRows
      this.#rowsRead = parser.rowsRead
      parser.destroy()
      await data.close()
    }
  }

  checkRemoval(rowsBefore: number, rowsRemoved: number): void {
    const { maxRemovedShare } = this.#options
    if (this.identity.totalBytes > 0)
      refuseRemoval(this.id, { rowsBefore, rowsRemoved, maxRemovedShare })
  }

  #rowsOf(batch: RowBatch<Columns>, quarantine: RowQuarantine | undefined): TargetRows {
    const rows = targetRowsOf(batch, this.id, {
      leaveOut: (row, error) => {
        this.#unmerged++
        quarantine?.take(leftOutRow(row, error))
      },
    })
    this.#cells.check(rows.batch)
    return rows
  }
}

/** The writer of a quarantine of rows of one file. */
export function newQuarantine(
  files: DurableFiles,
  path: string,
  id: FileId,
  length = 0,
): QuarantineWriter {
  return new QuarantineWriter({ files, path, length, name: fileIdKey(id) })
}

interface LeavingOut {
  /** Takes the rows without a key or a version, and those of `badCells`. */
  leaveOut(row: Row<Columns>, error: FeedError): void
  /** The errors of rows that are left out too, by their slots. */
  readonly badCells?: ReadonlyMap<number, FeedError>
}

/** Returns the good rows of a batch of a file, as a target takes them. */
export function targetRowsOf(
  batch: RowBatch<Columns>,
  id: FileId,
  { leaveOut, badCells }: LeavingOut,
): TargetRows {
  const keys: string[] = []
  const heads: RegisterHead[] = []
  const good = batch.select(row => {
    try {
      const key = keyOfRow(row, keyColumnOf(id))
      const head = headOf(row, versionOfRow(row, key))
      const badCell = badCells?.get(row.slot)
      if (badCell !== undefined) throw badCell
      heads.push(head)
      keys.push(key)
      return true
    } catch (error) {
      if (!FeedError.is(error) || !isRowError(error)) throw error
      leaveOut(row, error)
      return false
    }
  })
  return { batch: good, keys, heads }
}

export class CellCheck {
  #found: BadCellCount
  readonly #quarantine: RowQuarantine | undefined

  /** @param found what an earlier run has counted in the rows before */
  constructor(found: BadCellCount, quarantine: RowQuarantine | undefined) {
    this.#found = found
    this.#quarantine = quarantine
  }

  get found(): BadCellCount {
    return this.#found
  }

  /** @param leftOut the slots of the rows that are not merged */
  check(batch: RowBatch<Columns>, leftOut?: ReadonlySet<number>): void {
    for (const { row, error, count } of rowsWithBadCells(batch)) {
      if (leftOut?.has(row.slot)) continue
      this.#quarantine?.take(leftOutRow(row, error))
      const { badCells = 0, firstBadCell = placeOf(row.text(keyColumnOf(batch.file)), error) } =
        this.#found
      this.#found = { badCells: badCells + count, firstBadCell }
    }
  }
}

function placeOf(
  key: string,
  { context }: FeedError<'CELL_INVALID'>,
): BadCellCount['firstBadCell'] {
  const { row = 0, column = '', excerpt = '' } = context
  return { key, row, column, excerpt }
}
