// The rows of a verified file, as a target takes them: good rows, with their keys and versions.

import type { Columns, Row, RowBatch } from '../../engine/index'
import {
  FeedError,
  headOf,
  leftOutRow,
  type RegisterHead,
  TsvParser,
  versionOfRow,
} from '../../engine/index'
import { isRowError, keyOfRow } from '../../state/index'
import { feedFileOf, isBootstrap, keyColumnOf, readDate, schemaOfFile } from '../feed-files'
import type { FileId } from '../file-id'
import type { SpoolFolder } from '../target/spool-folder'
import type { AppliedFile, BadCellCount, TargetFile, TargetRows } from '../target/target'
import { batchesOf } from './batches'
import { CellCheck } from './cell-check'
import type { ProvenFile } from './finish-file'
import { QuarantineFile } from './quarantine-file'
import { refuseRemoval } from './removal-check'
import { openSpooled, spoolFailure } from './spooled-data'

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
    const quarantine =
      quarantineFolder === undefined ? undefined : new QuarantineFile(quarantineFolder, this.id)
    this.#cells = new CellCheck({}, quarantine)
    const data = await openSpooled(spools, this.id)
    const parser = new TsvParser<Columns>({
      schema: schemaOfFile(this.id),
      file: feedFileOf(this.id, this.identity.lastModified),
      onBadRow: quarantine ?? 'skip',
    })
    try {
      await quarantine?.open()
      for await (const batch of batchesOf(data, parser, this.signal, quarantine)) {
        const rows = this.#rowsOf(batch, quarantine)
        yield rows
        onRows(rows.keys.length)
      }
      await quarantine?.commit()
    } catch (cause) {
      throw spoolFailure(spools, this.id, cause)
    } finally {
      this.#unreadable = parser.badRows
      this.#rowsRead = parser.rowsRead
      parser.destroy()
      await data.close()
      await quarantine?.close()
    }
  }

  checkRemoval(rowsBefore: number, rowsRemoved: number): void {
    const { maxRemovedShare } = this.#options
    if (this.identity.totalBytes > 0)
      refuseRemoval(this.id, { rowsBefore, rowsRemoved, maxRemovedShare })
  }

  #rowsOf(batch: RowBatch<Columns>, quarantine: QuarantineFile | undefined): TargetRows {
    const keys: string[] = []
    const heads: RegisterHead[] = []
    const good = (row: Row<Columns>): boolean => {
      try {
        const key = keyOfRow(row, keyColumnOf(this.id))
        heads.push(headOf(row, versionOfRow(row, key)))
        keys.push(key)
        return true
      } catch (error) {
        if (!FeedError.is(error) || !isRowError(error)) throw error
        this.#unmerged++
        quarantine?.take(leftOutRow(row, error))
        return false
      }
    }
    const goodRows = batch.select(good)
    this.#cells.check(goodRows)
    return { batch: goodRows, keys, heads }
  }
}
