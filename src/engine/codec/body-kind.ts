// Says what a body is that is no table, by its first 512 bytes and its label. Gunzip, the parsers
// and RangeFetcher ask here, so all of them say the same.
//
// A row of SIGNATURES is a format that begins as no table does. Pages and JSON are text, and a
// heading may begin as they do (`<id>`, `[id]`), so they are read as far as the bytes go: what does
// not read as the beginning of one is a table. Brotli has no signature: its label decides, unless
// the bytes are text.
//
// If you add a kind, also add a body of it to test/foreign-bodies.ts.

import { toUtf8 } from './tsv/bad-row-report'

/** So many bytes decide what a body is. */
export const START_BYTES = 512

const CONVERT = 'the parsers read text, so ask for the table as CSV or TSV'
const UNPACK = 'decompress it first, for example by'
const DECOMPRESS =
  'put Decompress before the parser, in place of Gunzip, pipeline(source).to(new Decompress())'
/** How files begin that Decompress reads, as Latin-1. */
export const PACKED_STARTS = {
  gzip: ['\x1f\x8b'],
  zip: ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'],
  zstd: ['\x28\xb5\x2f\xfd'],
} as const
const SIGNATURES: readonly (readonly [what: string, todo: string, ...starts: string[]])[] = [
  [
    'gzip data',
    'put Gunzip before the parser, pipeline(source).to(new Gunzip())',
    ...PACKED_STARTS.gzip,
  ],
  ['a ZIP archive', DECOMPRESS, ...PACKED_STARTS.zip],
  ['Zstandard data', DECOMPRESS, ...PACKED_STARTS.zstd, 'P*M\x18'],
  ['xz data', `${UNPACK} xz -dc`, '\xfd7zX'],
  ['bzip2 data', `${UNPACK} bzip2 -dc`, ...[...'123456789'].map(level => `BZh${level}1AY&SY`)],
  ['a 7z archive', `${UNPACK} 7z x -so`, '7z\xbc\xaf\x27\x1c'],
  ['a RAR archive', `${UNPACK} unrar p`, 'Rar!\x1a\x07'],
  ['a PDF document', CONVERT, '%PDF-1.', '%PDF-2.'],
  ['a Parquet file', CONVERT, 'PAR1\x15'],
  ['a workbook', CONVERT, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['a run of NUL bytes', 'fetch the file again', '\0\0\0\0'],
  ['UTF-16 text', toUtf8('utf-16le'), '\xff\xfe'],
  ['UTF-16 text', toUtf8('utf-16be'), '\xfe\xff'],
]

/** What a body of this label is. */
export const BROTLI = `it is Brotli data, as its label says: ${UNPACK} brotli -dc`

/**
 * Says what a body is that begins with `start`, and what to do; undefined where it may be a table.
 * @param start the first 512 bytes, or all of a shorter body; more are not looked at
 * @param label the name or the content coding of the body
 * @param takesJson true where a body of JSON is none of another kind
 */
export function foreignBody(start: Uint8Array, label = '', takesJson = false): string | undefined {
  const bytes = start.subarray(0, START_BYTES)
  const text = Buffer.from(bytes).toString('latin1')
  const found = SIGNATURES.find(([, , ...starts]) => starts.some(one => text.startsWith(one)))
  if (found !== undefined) return `it is ${found[0]}: ${found[1]}`
  // Tar and UTF-16 have NULs in their first bytes, which hardly any table has.
  const hasNul = bytes.includes(0)
  if (hasNul && isTar(bytes, text)) return `it is a tar archive: ${UNPACK} tar -xO`
  if (/(?:^|\.)br(?:$|\?)/i.test(label) && !isText(bytes)) return BROTLI
  const encoding = hasNul ? utf16Of(bytes) : undefined
  if (encoding !== undefined)
    return `it looks like UTF-16 text without a byte order mark: ${toUtf8(encoding)}`
  const content = text.replace(/^(?:\xef\xbb\xbf)?[ \t\r\n]*/, '')
  const isPage = PAGES.some(page => page.test(content))
  if (!isPage && (takesJson || !isJson(content))) return undefined
  return `it is ${isPage ? 'HTML or XML' : 'JSON'} and no table: check the address and the token, since a proxy or a sign-in page may have answered (the parser reads a table that begins so with content: 'table'${isPage ? '' : ", and lines of JSON objects with dialect: { quoting: 'json-lines' }"})`
}

/** Says what a body is that should be gzip data; undefined for unknown bytes. */
export function whatIsNoGzip(start: Uint8Array, label?: string): string | undefined {
  const text = 'it is text: leave Gunzip out for a file that is not compressed'
  return foreignBody(start, label) ?? (isText(start) ? text : undefined)
}

/** True where the first bytes are text in UTF-8, without control characters. */
export function isText(start: Uint8Array): boolean {
  return !/\ufffd|(?![\t\n\v\f\r])\p{Cc}/u.test(utf8Of(start))
}

/** With `stream` a character that is cut off at the end is no error. */
function utf8Of(start: Uint8Array): string {
  return new TextDecoder().decode(start.subarray(0, START_BYTES), { stream: true })
}

/** The header of a tar archive has a checksum in octal digits, and before POSIX nothing else. */
function isTar(bytes: Uint8Array, text: string): boolean {
  const sum = bytes.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  const isSummed = bytes.length === START_BYTES && Number.parseInt(text.slice(148, 155), 8) === sum
  return isSummed || ['ustar\0', 'ustar  \0'].some(magic => text.startsWith(magic, 257))
}

/**
 * Text of Latin letters has a NUL in every other byte. In other text only delimiters and line ends
 * have one, as a cell of UTF-8 may too; but UTF-8 has no control character in every other byte, and
 * most of its tabs and line ends have no NUL beside them.
 */
function utf16Of(bytes: Uint8Array): string | undefined {
  const ends = bytes.filter(byte => byte === 0x09 || byte === 0x0a).length
  return ['utf-16le', 'utf-16be'].find((_, isBig) => {
    const low = bytes.filter((_, at) => at % 2 === isBig)
    const high = bytes.filter((_, at) => at % 2 !== isBig)
    const isLatin = [0, 1].every(at => high[at] === 0 && low[at])
    const isEnd = (byte: number, at: number) =>
      high[at] === 0 && '\t\n,;|'.includes(String.fromCharCode(byte))
    const isOther = high.every(byte => byte < 0x20) || /\ufffd/.test(utf8Of(bytes))
    return isLatin || (isOther && low.filter(isEnd).length > ends / 2)
  })
}

/**
 * How pages begin: with a declaration or an attribute; with a tag of HTML (MIME Sniffing Standard,
 * 7.1, and others); with an element that is closed, or that has a child. A tag with a delimiter or
 * a line end behind it may be a heading.
 */
const PAGES: readonly RegExp[] = [
  /^<(?:!doctype\s|!--|\?[a-z]|[a-z_][\w.:-]*\s+[\w.:-]+\s*=\s*["'])/i,
  /^<(?:html|head|body)\b[^<>]*>(?! *(?:\t|[^\s\w<]))/i,
  /^<(?:script|iframe|h[1-6]|div|font|table|a|style|title|b|br|p|pre|center|span|meta|strong)\b[^<>]*> *[\w<]/i,
  /^<([a-z_][\w.:-]*)[^<>]*>(?! *[\t,;|])(?:(?!<\1).)*<\/\1/is,
  /^<[a-z_][\w.:-]*[^<>]*>(?! *[\t,;|])\s*<[a-z!].*(?:<\/|\/>)/is,
]

// Each may be cut off at the end.
const JSON_STRING =
  /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*(?:"|\\?$|\\u[\da-fA-F]{0,3}$)/gu
const JSON_SCALAR =
  /(?:-|-?(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?)|tr?|tru|fa?|fals?|nu?|nul)$|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g
const JSON_WHOLE = /^(?:\{(?:“:[“№□](?:,“:[“№□])*)?\}|\[(?:[“№□](?:,[“№□])*)?\])$/
const JSON_OPEN =
  /^(?:\{(?:“:[“№□],)*“:|\[(?:[“№□],)*)*(?:\{(?:“:[“№□],)*(?:“(?::[“№□]?)?)?|\[(?:[“№□],)*[“№□]?)$/

/**
 * True for text that begins an object or an array of JSON (RFC 8259), or a line of JSON after the
 * other. A string becomes `“`, another scalar `№`, and then, from inside out, a container `□`: bytes
 * read as Latin-1 have none of them.
 */
function isJson(text: string): boolean {
  if (!/^[{[]/.test(text)) return false
  const scalars = text.replace(JSON_STRING, '“').replace(JSON_SCALAR, '№')
  let left = scalars.replace(/[ \t\r]+/g, '')
  for (let before = ''; left !== before; ) {
    before = left
    left = left.replace(/[{[][^{}[\]]*[}\]]/g, one =>
      JSON_WHOLE.test(one.replaceAll('\n', '')) ? '□' : '!',
    )
  }
  const last = left.replace(/^(?:□\n+)*/, '').replaceAll('\n', '')
  return last === '' || last === '□' || JSON_OPEN.test(last)
}
