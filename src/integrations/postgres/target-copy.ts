// Copies rows of files for a target. Each begins with its heads: before the cells of the feed, which
// copy-rows.ts writes, or alone, where they wait for the merge.

import { compareVersions, type Row, type TextBuffer, type Version } from '../../engine/index'
import {
  type ArrivingFile,
  type Category,
  type RowTable,
  type RowWriter,
  type SqlWords,
  type TargetRows,
  waitingColumns,
  waitingTable,
} from '../../sync/index'
import { type CopyPart, copyRows, copyText, targetRows } from './copy-rows'
import type { PgConnection } from './pg-adapter'
import { TableCopy } from './table-copy'

export function newHeadsCopy(pg: PgConnection, words: SqlWords, table: RowTable): RowWriter {
  const heads = new CopyHeads(
    waitingColumns(table).map(([name]) => name),
    (rows, n, place, out) => {
      out.text(copyText(rows.key(n)))
      out.text(rows.isRemoval(n) ? '\tt\t' : '\tf\t')
      out.digits(place)
    },
  )
  return rowWriter(
    heads,
    new TableCopy(pg, { table: waitingTable(words, table), rowsOf: () => copyRows([heads]) }),
  )
}

export function newRowsCopy(
  pg: PgConnection,
  words: SqlWords,
  table: RowTable,
  { marketplace, categoryId }: Category,
): RowWriter {
  const category = `${copyText(marketplace)}\t${copyText(categoryId)}`
  const heads = new CopyHeads(table.heads, (_rows, _n, _place, out) => out.text(category))
  return rowWriter(
    heads,
    new TableCopy(pg, {
      table: words.table(table.name),
      rowsOf: header => targetRows(header, table.columns, heads),
    }),
  )
}

function rowWriter(heads: CopyHeads, copy: TableCopy): RowWriter {
  return {
    add: (rows, file, first) => {
      heads.begin(rows, file, first)
      return copy.writeBatch(rows.batch)
    },
    close: () => copy.end(),
    abort: () => copy.abort(),
  }
}

type WriteStart = (rows: TargetRows, n: number, place: number, out: TextBuffer) => void

/** Writes the heads of rows. Rows of one version share their text. */
class CopyHeads implements CopyPart {
  readonly names: readonly string[]
  readonly #writeStart: WriteStart
  /** The rows that are written next, and the place of the first. */
  #rows: TargetRows | undefined
  #first = 0
  #file: ArrivingFile | undefined
  #latest: Version | undefined
  /** The heads that rows of one file and version share. */
  #shared = Buffer.alloc(0)
  #rank: Buffer | undefined

  /** @param writeStart writes the first of the names, which not all tables have */
  constructor(names: readonly string[], writeStart: WriteStart) {
    this.names = names
    this.#writeStart = writeStart
  }

  begin(rows: TargetRows, file: ArrivingFile, first: number): void {
    this.#rows = rows
    this.#first = first
    if (this.#file?.sequence === file.sequence) return
    this.#file = file
    this.#latest = undefined
    this.#rank = file.rank === undefined ? undefined : Buffer.from(`\t${copyText(file.rank)}\t`)
  }

  write(row: Row, out: TextBuffer, n: number): void {
    this.#writeStart(this.#rows!, n, this.#first + n, out)
    const { version, checksum } = this.#rows!.head(n)
    if (this.#latest === undefined || compareVersions(version, this.#latest) !== 0) {
      this.#latest = version
      const { timeMs, generatedMs } = version
      this.#shared = Buffer.from(`\t${this.#file!.sequence}\t${timeMs}\t${generatedMs}\t`)
    }
    out.raw(this.#shared)
    out.digits(checksum)
    if (this.#rank === undefined) return
    out.raw(this.#rank)
    out.digits(row.position.row)
  }
}
