// Rows to a CSV file that spreadsheets and databases read. The writing is papaparse's.

import type * as Papa from 'papaparse'
import { FeedError } from '../errors'
import { elementsOf } from '../pipeline/batch'
import type { Sink } from '../pipeline/sink'
import { AtomicFile } from './atomic-file'

export interface CsvSinkOptions {
  /** Columns in order; those of the first row by default. */
  readonly columns?: readonly string[]
  /** One character or more between cells; a comma by default. */
  readonly delimiter?: string
  /** Puts an apostrophe before a cell that begins with `=`, `+`, `-`, `@`, tab or CR, so that no spreadsheet runs it. On by default. */
  readonly neutralizeFormulas?: boolean
}

const LINE_END = '\r\n'
// A plain number such as -9.90 runs nothing, and has to stay a number.
const FORMULA_START = /^(?![+-]?\d+(?:\.\d+)?$)[=+\-@\t\r]/

/**
 * A header line and one line for each row (or plain object), RFC 4180. Values that are objects are written as JSON.
 * Formulas are neutralised in text only: a signed number stays a number.
 * The file appears when the pipeline has ended well.
 * @throws FeedError SINK_FAILED, OPTION_INVALID
 */
export function csvSink<T>(path: string, options: CsvSinkOptions = {}): Sink<T> {
  const { delimiter = ',', neutralizeFormulas = true } = options
  if (delimiter === '' || /["\r\n]/.test(delimiter)) {
    throw new FeedError('OPTION_INVALID', 'the delimiter cannot be used', {
      option: 'delimiter',
      expected: 'no quote or line end',
      received: delimiter,
    })
  }
  const file = new AtomicFile(path, 'csv')
  let columns = options.columns
  const escapeFormulae = neutralizeFormulas ? FORMULA_START : false
  let unparse: typeof Papa.unparse
  const lines = (data: unknown[][]) => {
    // Many readers skip a blank line: the empty cell of a lone column is written as "".
    const quotes = data[0]?.length === 1 ? (value: unknown) => value === '' : false
    return unparse(data, { delimiter, newline: LINE_END, header: false, escapeFormulae, quotes }) + LINE_END
  }
  const open = async () => {
    await file.open()
    // Only who writes CSV waits for it to be loaded.
    unparse = (await import('papaparse')).default.unparse
    columns = options.columns
    if (columns !== undefined) await file.write(lines([[...columns]]))
  }
  const write = (item: T) => {
    const objects = Array.from(elementsOf(item), element => plainOf(element) as Record<string, unknown>)
    if (objects.length === 0) return undefined
    const isFirst = columns === undefined
    const names = (columns ??= Object.keys(objects[0]!))
    const data = objects.map(object => names.map(name => cellOf(object[name])))
    return file.write(lines(isFirst ? [[...names], ...data] : data))
  }
  return { name: 'csv', open, write, commit: () => file.commit(), abort: () => file.abort() }
}

// Dates and decimals are text in JSON; lists and objects are written as their JSON.
function cellOf(value: unknown): unknown {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return value
  const json = JSON.stringify(value)
  return json.startsWith('"') ? JSON.parse(json) : json
}

/** A row as its typed object, anything else as it is. */
function plainOf(element: unknown): unknown {
  const { toObject } = element as { toObject?: unknown }
  return typeof toObject === 'function' ? toObject.call(element) : element
}
