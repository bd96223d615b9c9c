// The dialect of a file: what stands between cells, how cells are quoted, and what stands before
// the first row. This module has the caller's option and its checks; cell-rules.ts has the rules of
// cells as bytes.

import { FeedError } from '../../errors'
import { is, type OptionTable, optionInvalid, readOptions } from '../../options'
import type { FeedSchema } from '../../schema/feed-schema'
import { type CellRules, DOCUMENTED_CELLS } from './cell-rules'
import { bindHeader, countKnownNames, MAX_COLUMNS } from './header'

/**
 * How the cells of a file are quoted.
 *
 * - `backslash`: a cell that begins with `"` runs to the next `"`; `\"` and `\\` in it are `"` and
 *   `\`, and any other backslash is text.
 * - `doubled`: the same, but `""` in it is `"`, and a backslash is text (RFC 4180).
 * - `none`: quotes are text, so no cell has a delimiter or a line end.
 */
export type Quoting = 'backslash' | 'doubled' | 'none'

/**
 * The dialect of a file. What is left out is as in the documented files: tabs, backslashes before
 * quotes, a header line at the start.
 *
 * In every dialect a line ends in LF or CRLF, a cell is quoted only where `"` is its first
 * character, text behind a closing quote makes a bad row, all rows have the same number of cells,
 * and a byte order mark of UTF-8 at the start of the file is passed over. A file whose first lines
 * end in CR alone or in CR CR LF is refused.
 *
 * @example
 * ```ts
 * import { type Dialect, pipeline, TsvRowParser } from 'feedmill'
 *
 * const dialect: Dialect = { delimiter: ';', quoting: 'doubled', header: ['id', 'name'], comment: '#' }
 * const rows = pipeline([Buffer.from('# made today\n1;"a ""b"""\n2;c\n')]).to(
 *   new TsvRowParser({ dialect }),
 * )
 * for await (const row of rows) console.log(row.position.line, row.get('id'), row.get('name'))
 * // => 2 1 a "b"
 * // => 3 2 c
 * ```
 */
export interface Dialect {
  /**
   * What stands between two cells: one ASCII character that is not a quote, a backslash, CR, LF or
   * NUL. Default: `'\t'`.
   */
  readonly delimiter?: string
  /** How cells are quoted. Default: `'backslash'`. */
  readonly quoting?: Quoting
  /**
   * True where the first line names the columns. A file without such a line gets the names of its
   * columns here, in their order; then the first line is the first row, and an empty file is a file
   * without rows. With a schema, the names have all columns that it requires. Default: true.
   */
  readonly header?: true | readonly string[]
  /**
   * Lines at the start of the file that begin with this character are passed over, up to the first
   * line that does not: the header line, or the first row where `header` has names. They may have
   * any length and count as lines, not as rows. Later lines are rows, whatever they begin with. It
   * is a character as for `delimiter`, and another one. Default: none, so no line is passed over.
   */
  readonly comment?: string
}

const DIALECT = {
  delimiter: [special, '\t'],
  quoting: [is.choice('backslash', 'doubled', 'none'), 'backslash'],
  header: [is.any, true],
  comment: is.any,
} satisfies OptionTable<Dialect>

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The value in place of a byte where no byte has the meaning. */
const NONE = -1

const QUOTINGS: Readonly<Record<Quoting, Omit<CellRules, 'delimiter'>>> = {
  backslash: { quote: QUOTE, escapedBy: BACKSLASH },
  doubled: { quote: QUOTE, escapedBy: QUOTE },
  none: { quote: NONE, escapedBy: NONE },
}

/** Returns the dialect of rows whose cells are written by these rules. */
export function dialectOf({ delimiter, quote, escapedBy }: CellRules): Dialect {
  const quoting = quote < 0 ? 'none' : escapedBy === quote ? 'doubled' : 'backslash'
  return { delimiter: String.fromCharCode(delimiter), quoting }
}

/** A dialect as the parser reads it. */
export interface FileRules {
  readonly cells: CellRules
  /** The names of the columns of a file without a header line. */
  readonly columnNames: readonly string[] | undefined
  /** The first byte of a comment line; -1 where the file has none. */
  readonly comment: number
}

/** @throws FeedError OPTION_INVALID */
export function rulesOf(dialect: Dialect | undefined, schema: FeedSchema): FileRules {
  if (dialect === undefined)
    return { cells: DOCUMENTED_CELLS, columnNames: undefined, comment: NONE }
  const { delimiter, quoting, header, comment } = readOptions(dialect, DIALECT, 'dialect')
  return {
    cells:
      delimiter === TAB && quoting === 'backslash'
        ? DOCUMENTED_CELLS
        : { delimiter, ...QUOTINGS[quoting] },
    columnNames: header === true ? undefined : columnNames(header, schema),
    comment: comment === undefined ? NONE : special('dialect.comment', comment, delimiter),
  }
}

function special(option: string, value: string, delimiter?: number): number {
  const code = typeof value === 'string' && value.length === 1 ? value.charCodeAt(0) : NONE
  const isFree = code > 0 && code < 0x80 && ![QUOTE, BACKSLASH, CR, LF].includes(code)
  if (isFree && code !== delimiter) return code
  const others = delimiter === undefined ? '' : ', and not the delimiter'
  throw optionInvalid(
    option,
    `one ASCII character other than a quote, a backslash, CR, LF and NUL${others}`,
    value,
  )
}

function columnNames(names: readonly string[], schema: FeedSchema): readonly string[] {
  if (!Array.isArray(names) || names.length === 0 || names.length > MAX_COLUMNS)
    throw optionInvalid(
      'dialect.header',
      `true, or the names of 1 to ${MAX_COLUMNS} columns`,
      names,
    )
  is.texts('dialect.header', names)
  const problem = misfit(names, schema)
  if (problem === undefined) return [...names]
  const expected = `true, or column names that fit the schema (${schema.name}; ${problem})`
  throw optionInvalid('dialect.header', expected, names.join(', '))
}

function misfit(names: readonly string[], schema: FeedSchema): string | undefined {
  if (Object.keys(schema.columns).length > 0 && countKnownNames(schema, names) === 0)
    return 'none of them is in it'
  try {
    bindHeader(schema, names, { row: 0, line: 1, byteOffset: 0 })
    return undefined
  } catch (error) {
    if (FeedError.is(error)) return error.message
    throw error
  }
}
