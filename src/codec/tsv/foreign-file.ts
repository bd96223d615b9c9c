// Recognises files that are not tab-separated UTF-8 text with a header line, by their first bytes
// and their first line. Without it such a file would be read as one column, as columns that are all
// empty, or as text that lost its first row to the names.

import { excerpt } from '../../errors'
import type { FeedSchema } from '../../schema/feed-schema'
import { knownHeadings } from './header'

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
 * What a file that begins with these bytes is and what to do with it; undefined where it may be a
 * TSV file.
 */
export function foreignFormat(start: Uint8Array): string | undefined {
  const signature = SIGNATURES.find(([bytes]) => bytes.every((byte, at) => start[at] === byte))
  if (signature) return signature[1]
  // Two characters of UTF-16 below U+0100. A TSV file has no NUL in every other place of its header
  // line.
  const zeros = [0, 1, 2, 3].map(at => start[at] === 0)
  const isUtf16 =
    start.length >= 4 && zeros[0] !== zeros[1] && zeros[0] === zeros[2] && zeros[1] === zeros[3]
  return isUtf16 ? `it looks like UTF-16 text without a byte order mark: ${TO_UTF8}` : undefined
}

const SEPARATORS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '|': 'pipe' }

/** That a line of one cell has another separator in it; undefined where it has none. */
export function otherSeparator(line: string): string | undefined {
  const [most] = Object.keys(SEPARATORS)
    .map(separator => ({ separator, count: line.split(separator).length - 1 }))
    .sort((one, other) => other.count - one.count)
  if (most === undefined || most.count === 0) return undefined
  const name = SEPARATORS[most.separator]
  return `the file looks ${name}-separated, and this dialect is tab-separated (a single column of that name is read when the heading is quoted or in the schema)`
}

/** Cells that are data anywhere: an address, an itemId (item-feeds.md, section 2.2), an instant. */
const DATA = /^(https?:\/\/\S+|v\d+\|\d+\|\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)$/

export interface Heading {
  readonly text: string
  readonly isQuoted: boolean
}

/**
 * What makes these headings those of another kind of file; undefined where they may be the names of
 * columns.
 */
export function foreignHeadings(
  headings: readonly Heading[],
  schema: FeedSchema,
): string | undefined {
  const names = headings.map(({ text }) => text)
  // All of such a file would be its header line.
  if (headings.some(({ text, isQuoted }) => !isQuoted && /\r./s.test(text)))
    return 'a line end is CR alone: convert line ends to LF'
  if (knownHeadings(schema, names) > 0) return undefined
  const [only] = headings
  const separator =
    headings.length === 1 && only && !only.isQuoted ? otherSeparator(only.text) : undefined
  if (separator !== undefined) return separator
  if (Object.keys(schema.columns).length > 0) {
    return `none of its columns is in the schema (${schema.feed}): give the file's own schema, or none, and see whether it has a header line`
  }
  const data = names.find(name => DATA.test(name))
  if (data === undefined) return undefined
  return `the file seems to have no header line: ${JSON.stringify(excerpt(data))} is a value and not the name of a column`
}
