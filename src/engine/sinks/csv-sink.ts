// A sink that writes rows as CSV for spreadsheets and databases (RFC 4180). papaparse makes the
// lines, but for those of a parser's batches that csv-batches.ts makes.

import type * as Papa from 'papaparse'
import type { BatchText } from '../codec/columns/batch-text'
import { exactCell, JsonCell } from '../codec/json-cell'
import { RowBatch } from '../codec/row-batch'
import { TextBuffer } from '../codec/text-buffer'
import type { BoundHeader } from '../codec/tsv/header'
import { excerpt, FeedError, messageOf } from '../errors'
import { is, type OptionTable, optionInvalid, readOptions } from '../options'
import { exactElementsOf } from '../pipeline/batch'
import type { Sink } from '../pipeline/sink'
import { TextOutput } from './byte-output'
import { type CsvRules, csvBatches } from './csv-batches'
import { type ColumnOf, CsvColumns } from './csv-columns'
import type { SinkTarget } from './destination'
import { jsonWriter } from './ndjson-sink'
import { withoutJson } from './plain-objects'
import { valueInvalid } from './sink-errors'
import { sinkOfRuns } from './sink-of-runs'
import { checkedNames } from './table-plan'

export interface CsvSinkOptions<N extends string = string> {
  /** The columns in their order. Default: the columns of the first row. */
  readonly columns?: readonly N[]
  /** Text between two cells, one character or more. Default: a comma. */
  readonly delimiter?: string
  /**
   * Puts an apostrophe before a cell that a spreadsheet would run as a formula: a cell that begins
   * with `=`, `+`, `-`, `@` or their full-width forms, also behind blanks and control characters,
   * or with a control character. Default: true.
   */
  readonly neutralizeFormulas?: boolean
  /** `gzip` compresses the file. Default: no compression. */
  readonly compress?: 'gzip'
}

const NAME = 'csv'
const OPTIONS = {
  columns: [checkedNames],
  delimiter: [delimiterText, ','],
  neutralizeFormulas: [is.flag, true],
  compress: [is.choice('gzip')],
} satisfies OptionTable<CsvSinkOptions>
const LINE_END = '\r\n'
// The first alternative leaves out a plain number such as -9.90 or -1e5, which is no formula and must stay
// a number. Spreadsheets drop blanks, control characters and invisible characters before they look
// for a formula.
const FORMULA_START =
  /^(?:(?![+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$)[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|\p{Cc})/u

/** Whatever papaparse may put quotes around, and more. */
const NEEDS_QUOTES = /^\s|["\r\n\ufeff]|\s$/

/**
 * Makes a sink that writes a header line and one line for each row or plain object. A cell that is
 * a list or an object is written as JSON; null and undefined are empty cells. Only text is
 * neutralised: a signed number stays a number.
 *
 * A name in `columns` that the type of the rows does not have is a compile error. A caller names a
 * column that the schema does not have as `string`, such as `'extra' as string`. A name that no row
 * has is COLUMN_UNKNOWN before anything is written. For plain objects the sink looks for the name
 * in the first 1,000, and a property that an object lacks is an empty cell. Without `columns` the
 * sink writes the columns of the first row, and a later row with another column is COLUMN_UNKNOWN,
 * because its cell would be lost.
 *
 * The file appears when the pipeline has succeeded; before, and after a failure, `target` stays as
 * it was. The sink writes to `<name>.<16 hexadecimal digits>.partial` in the same folder. A
 * symbolic link stays, and the file that it points to is replaced. A device, a FIFO or a stream
 * gets the text as it is made.
 * @param target the path of the file, in an existing folder; or a Node stream, which the sink does
 * not end
 * @throws FeedError OPTION_INVALID at the call; SINK_FAILED; COLUMN_UNKNOWN; SINK_VALUE_INVALID for
 * a value that is neither row nor object, and for a cell that has no text form
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { csvSink, FileSource, Gunzip, itemSchema, pipeline, TsvRowParser } from 'feedmill'
 * // given: path
 *
 * await pipeline(new FileSource(path))
 *   .to(new Gunzip())
 *   .to(new TsvRowParser({ schema: itemSchema }))
 *   .run(csvSink('titles.csv', { columns: ['itemId', 'title'] }))
 * console.log(readFileSync('titles.csv', 'utf8').split('\r\n')[1])
 * // => v1|1|0,"a ""quoted"" title"
 * ```
 */
export function csvSink<T, N extends string>(
  target: SinkTarget,
  options: CsvSinkOptions & { readonly columns: string extends N ? readonly N[] : never },
): Sink<T>
export function csvSink<T>(
  target: SinkTarget,
  options?: CsvSinkOptions<ColumnOf<NoInfer<T>>>,
): Sink<T>
export function csvSink<T>(target: SinkTarget, options: CsvSinkOptions = {}): Sink<T> {
  const { columns: chosen, delimiter, neutralizeFormulas, compress } = readOptions(options, OPTIONS)
  const newOutput = () => new TextOutput(target, NAME, compress)
  const first = newOutput()
  const escapeFormulae = neutralizeFormulas ? FORMULA_START : false
  return sinkOfRuns(NAME, first, () => {
    const output = newOutput()
    let unparse: typeof Papa.unparse
    const columns = new CsvColumns(chosen)
    const rules: CsvRules = {
      delimiter,
      neutralizes: neutralizeFormulas,
      areChosen: chosen !== undefined,
      textOf: (row, name) => textOf(cellOf(exactCell(row, name), name, 0)),
      lineOf: (row, n) => {
        columns.rows = rowsBefore + n
        return linesOf([cellsOf(row, columns)])
      },
    }
    let header: BoundHeader | undefined
    let batches: BatchText | undefined
    /** Rows before the batch that is written. */
    let rowsBefore = 0
    const lines = new TextBuffer()
    /** Lines that wait until every column has been seen. */
    let held = ''
    let hasHeader = false

    const linesOf = (cells: unknown[][]) => {
      // Many readers skip a blank line, so the empty cell of a single column is written as "".
      const quotes = cells[0]?.length === 1 ? (value: unknown) => value === '' : false
      return (
        unparse(cells, { delimiter, newline: LINE_END, header: false, escapeFormulae, quotes }) +
        LINE_END
      )
    }
    /** Returns the text of one cell as it is in a line. */
    const textOf = (cell: unknown) => {
      if (cell === '') return columns.names!.length === 1 ? '""' : ''
      if (typeof cell === 'string' && isPlain(cell)) return cell
      return typeof cell === 'number' ? String(cell) : linesOf([[cell]]).slice(0, -LINE_END.length)
    }
    const isPlain = (cell: string) =>
      !NEEDS_QUOTES.test(cell) &&
      !cell.includes(delimiter) &&
      !(neutralizeFormulas && FORMULA_START.test(cell))
    /** Puts the header line before the first text, if the columns are known by then. */
    const withHeader = (text: string) => {
      if (hasHeader || columns.names === undefined) return text
      hasHeader = true
      return linesOf([[...columns.names]]) + text
    }
    /** Writes a batch where the module does. */
    const writeBatch = (batch: RowBatch) => {
      const { names, isSettled } = columns
      if (names === undefined || !isSettled) return false
      if (batch.header !== header) batches = csvBatches(rules, (header = batch.header), names)
      if (batches === undefined) return false
      rowsBefore = columns.rows
      batches.write(batch, lines)
      columns.rows = rowsBefore + batch.length
      return true
    }
    const sendLines = async () => {
      await output.addText(withHeader(held))
      held = ''
      await output.addBytes(lines.view())
      lines.cutTo(0)
    }
    return {
      open: async () => {
        await output.open()
        // papaparse is loaded with the first CSV file: most imports of the package write none.
        unparse = (await import('papaparse')).default.unparse
      },
      write: item => {
        columns.see(item)
        if (item instanceof RowBatch && item.length > 0 && writeBatch(item)) return sendLines()
        const cells = Array.from(exactElementsOf(item), element => cellsOf(element, columns))
        if (cells.length === 0) return undefined
        held += linesOf(cells)
        if (!columns.isSettled) return undefined
        const text = withHeader(held)
        held = ''
        return output.addText(text)
      },
      prepare: async () => {
        columns.settle()
        // A file without rows has only the header line, and not even this where nothing has named
        // the columns.
        await output.addText(withHeader(held))
        await output.prepare()
      },
      commit: () => output.commit(),
      abort: () => output.abort(),
    }
  })
}

function delimiterText(option: string, text: string): string {
  if (typeof text === 'string' && text !== '' && !/["\r\n]/.test(text)) return text
  throw optionInvalid(option, 'text without a quote or line end', text)
}

function cellsOf(element: unknown, columns: CsvColumns): unknown[] {
  const invalid = (reason: string) => valueInvalid(NAME, columns.rows + 1, reason)
  const cells = columns.cellsOf(element, invalid)
  return columns.names!.map(name => {
    try {
      // Inherited properties do not count, because a column may be named `constructor`.
      return Object.hasOwn(cells, name) ? cellOf(cells[name], name, columns.rows) : ''
    } catch (cause) {
      if (FeedError.is(cause)) throw cause
      const reason = `the cell ${excerpt(name)}: ${excerpt(messageOf(cause))}`
      throw valueInvalid(NAME, columns.rows, reason, cause)
    }
  })
}

/**
 * Returns the cell as papaparse takes it. Dates and decimals are text; lists and objects are JSON.
 */
function cellOf(value: unknown, column: string, row: number): unknown {
  if (value === null || value === undefined) return ''
  // A tab or a line end before JSON would be taken for the start of a formula.
  if (value instanceof JsonCell) return value.text.trim()
  if (typeof value === 'string' && !value.isWellFormed())
    throw valueInvalid(NAME, row, `the cell ${excerpt(column)} has half of a surrogate pair`)
  if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')
    return Object.is(value, -0) ? '-0' : value
  const json = jsonOf(value, column, row)
  if (json === 'null') return ''
  return json.startsWith('"') ? JSON.parse(json) : json
}

const writeJson = jsonWriter()

function jsonOf(value: unknown, column: string, row: number): string {
  const found = withoutJson(value)
  const json = found === undefined ? writeJson(value) : undefined
  if (json !== undefined) return json
  const reason = `the cell ${excerpt(column)} has ${found ?? 'an object'}, which has no text`
  throw valueInvalid(NAME, row, reason)
}
