// Recognises files that are not text of the parser's dialect in UTF-8, by their first bytes and
// their header line, and says what to put before the parser or into its options. Without this check
// the parser would read such a file as one column, as columns that are all empty, or with its first
// row taken for the column names.

import { excerpt, FeedError, type RowPosition } from '../../errors'
import type { FeedSchema } from '../../schema/feed-schema'
import type { CellRules } from './dialect'
import { countKnownNames } from './header'

const SIGNATURES: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [
    [0x1f, 0x8b],
    'it is gzip data: put Gunzip before the parser, pipeline(source).to(new Gunzip())',
  ],
  [[0x50, 0x4b, 0x03, 0x04], 'it is a ZIP archive: unpack the file first, for example by unzip -p'],
  [
    [0x28, 0xb5, 0x2f, 0xfd],
    'it is Zstandard data: decompress it first, for example by createZstdDecompress() of node:zlib',
  ],
  [[0xfd, 0x37, 0x7a, 0x58], 'it is xz data: decompress it first, for example by xz -dc'],
  [[0xff, 0xfe], `it is UTF-16 text: ${toUtf8('utf-16le')}`],
  [[0xfe, 0xff], `it is UTF-16 text: ${toUtf8('utf-16be')}`],
]

function toUtf8(encoding: string): string {
  return `put new TextDecoderStream('${encoding}') and new TextEncoderStream() before the parser, which reads UTF-8`
}

export function headerInvalid(
  reason: string,
  position: RowPosition,
): FeedError<'TSV_HEADER_INVALID'> {
  const message = `the start of the file cannot be read: ${reason}`
  return new FeedError('TSV_HEADER_INVALID', message, { ...position, reason })
}

/**
 * Refuses a file that begins with these bytes if they show another format.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function checkFormat(start: Uint8Array): void {
  const reason = foreignFormat(start)
  if (reason !== undefined) throw headerInvalid(reason, { row: 0, line: 1, byteOffset: 0 })
}

function foreignFormat(start: Uint8Array): string | undefined {
  const signature = SIGNATURES.find(([bytes]) => bytes.every((byte, at) => start[at] === byte))
  if (signature) return signature[1]
  // Two characters below U+0100 in UTF-16 have a NUL in every other byte, and a file of text in
  // UTF-8 does not.
  const zeros = [0, 1, 2, 3].map(at => start[at] === 0)
  const isUtf16 =
    start.length >= 4 && zeros[0] !== zeros[1] && zeros[0] === zeros[2] && zeros[1] === zeros[3]
  if (!isUtf16) return undefined
  const encoding = zeros[0] ? 'utf-16be' : 'utf-16le'
  return `it looks like UTF-16 text without a byte order mark: ${toUtf8(encoding)}`
}

/**
 * Says what bytes that are not UTF-8 may be. Bytes of a Latin alphabet of one byte for each letter
 * hardly ever make up a character of UTF-8.
 */
export function foreignEncoding(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const hasCharacters = /[^\p{ASCII}\ufffd]/u.test(text)
  return hasCharacters
    ? 'bytes that are not UTF-8'
    : `bytes that are not UTF-8; they look like Latin-1 or Windows-1252: ${toUtf8('windows-1252')}`
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '|': 'pipe',
  '\t': 'tab',
}

/** Names the other delimiter in a line of one cell. Returns undefined where the line has none. */
export function otherDelimiter(line: string, { delimiter }: CellRules): string | undefined {
  const [most] = Object.keys(DELIMITERS)
    .filter(other => other.charCodeAt(0) !== delimiter)
    .map(other => ({ other, count: line.split(other).length - 1 }))
    .sort((a, b) => b.count - a.count)
  if (most === undefined || most.count === 0) return undefined
  const option = most.other === '\t' ? '\\t' : most.other
  return `the file looks ${DELIMITERS[most.other]}-separated: give the parser dialect: { delimiter: '${option}' }, with quoting: 'doubled' for CSV of RFC 4180 (a single column of that name is read when its name is quoted or in the schema)`
}

/** Cells that are never column names: URLs, item ids (item-feeds.md, section 2.2), timestamps. */
const DATA = /^(https?:\/\/\S+|v\d+\|\d+\|\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)$/
const NAMED = 'dialect: { header: [...] } names the columns of a file without one'

export interface HeaderCell {
  readonly text: string
  readonly isQuoted: boolean
}

/**
 * Says why these header cells belong to another kind of file. Returns undefined where they may be
 * column names.
 */
export function foreignHeader(
  cells: readonly HeaderCell[],
  schema: FeedSchema,
  rules: CellRules,
): string | undefined {
  const names = cells.map(({ text }) => text)
  // The whole of such a file would be its header line.
  if (cells.some(({ text, isQuoted }) => !isQuoted && /\r./s.test(text)))
    return 'a line end is CR alone: convert line ends to LF'
  if (countKnownNames(schema, names) > 0) return undefined
  const [only] = cells
  const delimiter =
    cells.length === 1 && only && !only.isQuoted ? otherDelimiter(only.text, rules) : undefined
  if (delimiter !== undefined) return delimiter
  if (Object.keys(schema.columns).length > 0) {
    return `none of its columns is in the schema (${schema.name}): give the file's own schema, or none, and see whether it has a header line (${NAMED})`
  }
  const data = names.find(name => DATA.test(name))
  if (data === undefined) return undefined
  return `the file seems to have no header line: ${JSON.stringify(excerpt(data))} is a value and not the name of a column (${NAMED})`
}
