// The dialect of a file: what stands between cells, how cells are quoted, and what stands before
// the first row. This module has the caller's option and its checks; cell-rules.ts has the rules of
// cells as bytes.

import { FeedError } from '../../errors'
import { is, type OptionTable, optionInvalid, readOptions } from '../../options'
import type { FeedSchema } from '../../schema/feed-schema'
import { type CellRules, DOCUMENTED_CELLS, isDocumented, type RowEdits } from './cell-rules'
import { bindHeader, countKnownNames, MAX_COLUMNS } from './header'
import { encodingOf } from './utf8-input'

/**
 * How the cells of a file are quoted.
 *
 * - `backslash`: a cell that begins with `"` runs to the next `"`; `\"` and `\\` in it are `"` and
 *   `\`, and any other backslash is text.
 * - `doubled`: the same, but `""` in it is `"`, and a backslash is text (RFC 4180).
 * - `none`: quotes are text, so no cell has a delimiter or a line end.
 * - `escapes`: quotes are text too, and `\t`, `\n`, `\r` and `\\`, written as two characters, are a
 *   tab, a line feed, a carriage return and a backslash. Any other backslash is text.
 * - `json-lines`: the file is no table. Each line is an object of JSON, and its members are the cells
 *   of a row: see {@link Dialect}.
 */
export type Quoting = 'backslash' | 'doubled' | 'none' | 'escapes' | 'json-lines'

/**
 * The dialect of a file. What is left out is as in the documented files: tabs, backslashes before
 * quotes, a header line at the start.
 *
 * In every dialect a line ends in LF or CRLF, a cell is quoted only where `"` is its first
 * character, text behind a closing quote makes a bad row, all rows have the same number of cells,
 * and a byte order mark of UTF-8 at the start of the file is passed over. A file whose first lines
 * end in CR alone or in CR CR LF is refused.
 *
 * A first line `sep=;`, with which spreadsheets name the delimiter, is passed over too. It decides
 * the delimiter, whatever the dialect says, and quotes are `doubled` unless the dialect says otherwise.
 *
 * With `quoting: 'json-lines'` a cell has the text of a string, of a number (with the digits of the
 * file), `true` or `false`; null, an empty string and a name that an object lacks are empty cells. An
 * object or an array is its JSON, but in a column of `list` an array has its values between
 * separators. The columns are the names in the first 1,000 lines, or in those of the first
 * `maxRowBytes`, with the columns of the schema; `header` names them in place of that. A line that is
 * no object is TSV_JSON_INVALID, a bad row, and so is one with a name that is no column (unless the
 * parser has `columns`), with a name twice, half of a surrogate pair, more than 512 levels, or a list
 * that separators would change. Lines that are blank are left out, and keep their numbers. Beside
 * `header` the dialect may have `comment`, `skipLines`, `encoding` and `nulls`.
 *
 * The options from `nulls` on change rows before anything else reads them, by every parser and sink.
 * Reading is slower with them, because cells are copied one by one.
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
  /**
   * So many lines at the start of the file are passed over, such as a title, before comments and the
   * header line are looked for. A line `sep=;` is one of them. Default: 0.
   */
  readonly skipLines?: number
  /**
   * So many lines behind the header line are passed over, such as one with units. They are not read
   * as rows: quotes in them mean nothing, and they count as lines only. Default: 0.
   */
  readonly unitLines?: number
  /**
   * The encoding of the file, by a name that `TextDecoder` knows, such as `'windows-1252'`,
   * `'latin1'` (which is the same there), `'utf-16le'` or `'shift_jis'`. A byte order mark of UTF-8 or
   * UTF-16 comes before it. The parser makes UTF-8 of each input, so positions count the bytes of the
   * text in UTF-8. A malformed sequence, or a U+FFFD, makes a row TSV_UTF8_INVALID, or is read as
   * `invalidUtf8` says; in the header line it is TSV_HEADER_INVALID. Default: UTF-8, which is not
   * converted.
   */
  readonly encoding?: string
  /**
   * Words for null: a cell with one of these texts, quoted or not, is empty. The case counts, and
   * escapes are not read before. Default: none.
   */
  readonly nulls?: readonly string[]
  /**
   * True where blanks around cells and column names are left out: characters up to U+0020. Blanks
   * inside quotes stay. A cell that is quoted between blanks may have no delimiter and no line end,
   * and no blank behind its quotes where it has none before them. Default: false.
   */
  readonly trim?: boolean
  /**
   * What a row with too few cells is: bad, or a row whose last cells are empty. A blank line is no
   * such row. Default: `'bad-row'`.
   */
  readonly shortRows?: 'bad-row' | 'fill'
  /**
   * What a line without any character is: a bad row (in a file of one column a row with an empty
   * cell), or nothing, also before the header line. A line that is left out keeps its number of a
   * row. Default: `'bad-row'`.
   */
  readonly blankLines?: 'bad-row' | 'skip'
  /**
   * What a later row is whose cells are the column names, as in files that were put one behind the
   * other: a row, or nothing; it keeps its number. Default: `'row'`.
   */
  readonly repeatedHeader?: 'row' | 'skip'
}

const DIALECT = {
  delimiter: [special, '\t'],
  quoting: [is.choice('backslash', 'doubled', 'none', 'escapes', 'json-lines'), 'backslash'],
  header: [is.any, true],
  comment: is.any,
  skipLines: [is.wholeNumber(0), 0],
  unitLines: [is.wholeNumber(0), 0],
  encoding: [encodingOf],
  nulls: [is.texts, []],
  trim: [is.flag, false],
  shortRows: [is.choice('bad-row', 'fill'), 'bad-row'],
  blankLines: [is.choice('bad-row', 'skip'), 'bad-row'],
  repeatedHeader: [is.choice('row', 'skip'), 'row'],
} satisfies OptionTable<Dialect>

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
  escapes: { quote: NONE, escapedBy: NONE },
  // The parser writes the cells as those of the documented files.
  'json-lines': { quote: QUOTE, escapedBy: BACKSLASH },
}
/** The options that say something of tables alone. */
const OF_TABLES = [
  'delimiter',
  'unitLines',
  'trim',
  'shortRows',
  'blankLines',
  'repeatedHeader',
] as const

/** Returns the dialect of rows whose cells are written by these rules. */
export function dialectOf({ delimiter, quote, escapedBy, edits }: CellRules): Dialect {
  const quoting = quote < 0 ? 'none' : escapedBy === quote ? 'doubled' : 'backslash'
  return { delimiter: String.fromCharCode(delimiter), quoting, ...edits }
}

/** A dialect as the parser reads it. */
export interface FileRules {
  readonly cells: CellRules
  /** The names of the columns of a file without a header line. */
  readonly columnNames: readonly string[] | undefined
  /** The first byte of a comment line; -1 where the file has none. */
  readonly comment: number
  readonly skipLines: number
  readonly unitLines: number
  /** The encoding of the file; undefined where it is not converted. */
  readonly encoding: string | undefined
  /** True where the lines are objects of JSON. */
  readonly isJson: boolean
}

/** @throws FeedError OPTION_INVALID */
export function rulesOf(dialect: Dialect = {}, schema: FeedSchema): FileRules {
  const { delimiter, quoting, header, comment, skipLines, unitLines, encoding, ...rest } =
    readOptions(dialect, DIALECT, 'dialect')
  const isJson = quoting === 'json-lines'
  for (const name of isJson ? OF_TABLES : [])
    if (dialect[name] !== undefined && dialect[name] !== DIALECT[name][1])
      throw optionInvalid(`dialect.${name}`, "left out beside quoting: 'json-lines'", dialect[name])
  const edits: RowEdits = {
    ...((quoting === 'escapes' || isJson) && { quoting }),
    ...(rest.nulls.length > 0 && { nulls: [...rest.nulls] }),
    ...(rest.trim && { trim: true }),
    ...(rest.shortRows === 'fill' && { shortRows: 'fill' }),
    ...(rest.blankLines === 'skip' && { blankLines: 'skip' }),
    ...(rest.repeatedHeader === 'skip' && { repeatedHeader: 'skip' }),
  }
  const cells: CellRules = { delimiter, ...QUOTINGS[quoting] }
  const isEdited = Object.keys(edits).length > 0
  return {
    cells: isEdited ? { ...cells, edits } : isDocumented(cells) ? DOCUMENTED_CELLS : cells,
    columnNames: header === true ? undefined : columnNames(header, schema),
    comment: comment === undefined ? NONE : special('dialect.comment', comment, delimiter),
    skipLines,
    unitLines,
    encoding,
    isJson,
  }
}

/**
 * Returns the dialect of a file whose first line names its delimiter, `sep=;`; undefined where the
 * file has no such line.
 * @param start the start of the file, in UTF-8
 */
export function dialectOfSeparatorLine(
  start: Uint8Array,
  given: Dialect = {},
): Dialect | undefined {
  const line = Buffer.from(start.subarray(0, SEPARATOR_LINE_BYTES)).toString('latin1')
  const [, separator] = /^(?:\xef\xbb\xbf)?sep=([^"\\\r\n\0\x80-\xff])\r?\n/i.exec(line) ?? []
  if (separator === undefined || separator === given.comment) return undefined
  if (given.quoting === 'json-lines') return undefined
  return { ...given, delimiter: separator, quoting: given.quoting ?? 'doubled' }
}

/**
 * Returns the dialect of a file whose first line is an object of JSON, and whose second begins as one;
 * undefined for another file, and where the caller says how cells are written. A single object, which
 * may be the answer of a server, needs the name of such a file.
 * @param start the start of the file, in UTF-8
 * @param name the path or the address of the file
 */
export function dialectOfJsonLines(
  start: Uint8Array,
  given: Dialect = {},
  name = '',
): Dialect | undefined {
  const isTable = ['quoting', ...OF_TABLES].some(option => given[option as 'quoting'] !== undefined)
  const text = isTable ? '' : Buffer.from(start).toString('utf8')
  const [, line, next] = /^\ufeff?[ \t\r\n]*(\{[^\n]*)\s*(\{?)/.exec(text) ?? []
  if (line === undefined || (next === '' && !NAMED_JSON_LINES.test(name))) return undefined
  try {
    JSON.parse(line)
    return { ...given, quoting: 'json-lines' }
  } catch {
    return undefined
  }
}

const NAMED_JSON_LINES = /\.(?:ndjson|jsonl)(?:\.\w+)?(?:[?#]|$)/i

/** A byte order mark, and `sep=;` with its line end. */
const SEPARATOR_LINE_BYTES = 10

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
