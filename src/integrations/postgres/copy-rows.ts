// Rows of batches as the text of a COPY: cells with tabs between them, and LF behind a row. Empty
// text is NULL (the statement has NULL ''), and no empty text is written. PostgreSQL has no NUL in
// text: in a target U+FFFD stands in its place, and in a sink the cell is a bad one. A cell that is no
// value of its column goes into the column `invalid` of a target, as the cells without a column go
// into `other`; a sink decides itself.

import type { BoundHeader, Columns, Row, TableRows, TextBuffer, TextPart } from '../../engine/index'
import { BatchText, COPY_TEXT, isBadCell, textSource, UNFIT } from '../../engine/index'
import { isEmptyList, jsonText, plainText, type SqlColumn, sqlTextOf } from './sql-types'

/** A part of the rows: columns of the table, whose texts have tabs between them. */
export interface CopyPart {
  readonly names: readonly string[]
  readonly source?: TextPart['source']
  write(row: Row, out: TextBuffer, n: number): void
}

/** What writes the rows of files with one header. */
export interface CopyRows {
  /** The names of the table's columns that the rows have, in the order of their text. */
  readonly columns: readonly string[]
  readonly text: BatchText
}

export function copyRows(parts: readonly CopyPart[], areAnew = false): CopyRows {
  const separated = parts.map(
    (part, n): TextPart => ({
      before: n === 0 ? '' : '\t',
      source: part.source,
      write: (row, out, at) => part.write(row, out, at),
    }),
  )
  return {
    columns: parts.flatMap(({ names }) => names),
    text: new BatchText(COPY_TEXT, separated, '\n', areAnew ? writeAnew(parts) : undefined),
  }
}

/** Writes all cells of a row that the module leaves, because its last one depends on the others. */
function writeAnew(parts: readonly CopyPart[]) {
  return (row: Row, out: TextBuffer, at: number) => {
    parts.forEach((part, n) => {
      if (n > 0) out.text('\t')
      part.write(row, out, at)
    })
    out.text('\n')
  }
}

/** Returns what writes the rows of a target. @param columns the table's columns of the feed */
export function targetRows(
  header: BoundHeader<Columns>,
  columns: readonly SqlColumn[],
  head: CopyPart,
): CopyRows {
  const invalid = new InvalidCells()
  const known = new Map(columns.map(column => [column.name, column]))
  const parts: CopyPart[] = [head]
  const others: string[] = []
  header.columns.forEach(({ name, known: isKnown }, at) => {
    const column = isKnown ? known.get(name) : undefined
    if (column === undefined) others.push(name)
    else parts.push(cellsOf(header, column, at, invalid.writer(column)))
  })
  const write = (row: Row, out: TextBuffer) =>
    writeObject(
      others.flatMap(name => {
        const text = row.text(name)
        return text === '' ? [] : [[name, text]]
      }),
      out,
    )
  if (others.length > 0) parts.push({ names: ['other'], write })
  return copyRows([...parts, invalid], true)
}

/**
 * Returns what writes the rows of a sink, whose table need not have all columns of the file.
 * @param rows decides about bad cells
 */
export function sinkRows(
  header: BoundHeader<Columns>,
  columns: readonly SqlColumn[],
  rows: TableRows,
): CopyRows {
  const known = new Map(columns.map(column => [column.name, column]))
  const parts = header.columns.flatMap(({ name }, at) => {
    const column = known.get(name)
    if (column === undefined) return []
    const write = (row: Row, out: TextBuffer) => out.text(copyText(rows.cellOf(row, name)))
    return [cellsOf(header, column, at, write)]
  })
  return copyRows(parts)
}

/** @param write writes the cells that the module leaves */
function cellsOf(
  header: BoundHeader<Columns>,
  { sqlName, isRequired }: SqlColumn,
  at: number,
  write: TextPart['write'],
): CopyPart {
  const source = textSource(COPY_TEXT, header.columns[at]!.spec, at, isRequired)
  return { names: [sqlName], source, write }
}

/** The cells of rows that are no values of their columns, as the last column of the rows. */
class InvalidCells implements CopyPart {
  readonly names = ['invalid']
  /** The texts of the cells of the row that is written, by column. */
  #texts: [string, string][] = []

  /** Returns what writes the cells of a column that are not invalid. */
  writer({ name, spec }: SqlColumn): CopyPart['write'] {
    const textOf = sqlTextOf(spec)
    const textIn = (row: Row) => {
      try {
        const value = row.get(name) as unknown
        if (value == null || isEmptyList(spec, value)) return null
        const text = textOf(value)
        return text === undefined ? UNFIT : plainText(text)
      } catch (error) {
        if (isBadCell(error)) return UNFIT
        throw error
      }
    }
    return (row, out) => {
      const text = textIn(row)
      if (text === UNFIT) this.#texts.push([name, row.text(name)])
      else out.text(copyText(text))
    }
  }

  write(_row: Row, out: TextBuffer): void {
    if (this.#texts.length === 0) return
    writeObject(this.#texts, out)
    this.#texts = []
  }
}

function writeObject(cells: readonly (readonly string[])[], out: TextBuffer): void {
  if (cells.length > 0) out.text(copyText(jsonText(Object.fromEntries(cells))))
}

const NEEDS_ESCAPE = /[\0\t\n\r\\]/
const ESCAPED = /[\0\t\n\r\\]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\uFFFD',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
}

/** Returns the text of a cell with the escapes of COPY. */
export function copyText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  const text = String(cell)
  return NEEDS_ESCAPE.test(text) ? text.replace(ESCAPED, escaped => ESCAPES[escaped]!) : text
}
