// Recognises files that are not tab-separated UTF-8 text with a header line, by their first bytes
// and their first line. Without this check the parser would read such a file as one column, as
// columns that are all empty, or with its first row taken for the column names.

import { excerpt } from '../../errors'
import type { FeedSchema } from '../../schema/feed-schema'
import { countKnownNames } from './header'

const TO_UTF8 = 'convert it to UTF-8 first'

const SIGNATURES: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x1f, 0x8b], 'it is gzip data: put Gunzip before the parser'],
  [[0x50, 0x4b, 0x03, 0x04], 'it is a ZIP archive: unpack the file first'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'it is Zstandard data: decompress it first'],
  [[0xfd, 0x37, 0x7a, 0x58], 'it is xz data: decompress it first'],
  [
    [0xff, 0xfe],
    `it is UTF-16 text: ${TO_UTF8}, for example by TextDecoderStream('utf-16le') and TextEncoderStream`,
  ],
  [
    [0xfe, 0xff],
    `it is UTF-16 text: ${TO_UTF8}, for example by TextDecoderStream('utf-16be') and TextEncoderStream`,
  ],
]

/**
 * Says which other format a file that begins with these bytes has, and what to do with it. Returns
 * undefined where it may be a TSV file.
 */
export function foreignFormat(start: Uint8Array): string | undefined {
  const signature = SIGNATURES.find(([bytes]) => bytes.every((byte, at) => start[at] === byte))
  if (signature) return signature[1]
  // Two characters below U+0100 in UTF-16 have a NUL in every other byte, and a header line of a
  // TSV file does not.
  const zeros = [0, 1, 2, 3].map(at => start[at] === 0)
  const isUtf16 =
    start.length >= 4 && zeros[0] !== zeros[1] && zeros[0] === zeros[2] && zeros[1] === zeros[3]
  return isUtf16 ? `it looks like UTF-16 text without a byte order mark: ${TO_UTF8}` : undefined
}

const SEPARATORS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '|': 'pipe' }

/** Names the other separator in a line of one cell. Returns undefined where the line has none. */
export function otherSeparator(line: string): string | undefined {
  const [most] = Object.keys(SEPARATORS)
    .map(separator => ({ separator, count: line.split(separator).length - 1 }))
    .sort((one, other) => other.count - one.count)
  if (most === undefined || most.count === 0) return undefined
  const name = SEPARATORS[most.separator]
  return `the file looks ${name}-separated, and this dialect is tab-separated (a single column of that name is read when its name is quoted or in the schema)`
}

/** Cells that are never column names: URLs, item ids (item-feeds.md, section 2.2), timestamps. */
const DATA = /^(https?:\/\/\S+|v\d+\|\d+\|\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)$/

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
): string | undefined {
  const names = cells.map(({ text }) => text)
  // The whole of such a file would be its header line.
  if (cells.some(({ text, isQuoted }) => !isQuoted && /\r./s.test(text)))
    return 'a line end is CR alone: convert line ends to LF'
  if (countKnownNames(schema, names) > 0) return undefined
  const [only] = cells
  const separator =
    cells.length === 1 && only && !only.isQuoted ? otherSeparator(only.text) : undefined
  if (separator !== undefined) return separator
  if (Object.keys(schema.columns).length > 0) {
    return `none of its columns is in the schema (${schema.name}): give the file's own schema, or none, and see whether it has a header line`
  }
  const data = names.find(name => DATA.test(name))
  if (data === undefined) return undefined
  return `the file seems to have no header line: ${JSON.stringify(excerpt(data))} is a value and not the name of a column`
}
