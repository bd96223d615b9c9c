// Bodies that are no table, each with what it is called: as tools and servers make them, and made
// at random by fast-check. The archives without a library here are those of zstd, xz, bzip2 and tar.

import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { zipSync } from 'fflate'

/** Of Brotli only the label says what it is. */
export interface ForeignBody {
  readonly name: string
  readonly bytes: Buffer
  readonly what: RegExp
}

const table = Buffer.from('id\ttitle\n1\tLamp\n2\tChair\n')
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const base64 = (text: string) => Buffer.from(text, 'base64')
const zip = (files: Record<string, string>) =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([n, t]) => [n, Buffer.from(t)]))),
  )
/** The first block of an archive of `tar --format=…`, and the blocks of the file and of the end. */
const tar = (header: string) =>
  Buffer.concat([gunzipSync(base64(header)), table, Buffer.alloc(512 - table.length + 1024)])
const utf16 = (text: string, order: 'le' | 'be', mark = '') => {
  const bytes = Buffer.from(mark + text, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

const TARS = {
  gnu: 'H4sIAAAAAAACA8ssSc0t1ispLmOgHTAAAjMTEzANBOi0gYGxAYOhqaGRqbGxiQlI3NDQxMiQQcGAgQ6gtLgksUhBgaEoP78EnzpC8kMUAAB2i1CSAAIAAA==',
  ustar:
    'H4sIAAAAAAACA8ssSc0t1ispLmOgHTAAAjMTEzANBOi0gYGxAYOhqaGRqbGxiQlI3NDI3MiQQcGAgQ6gtLgksQjolKL8/BJ86gjJo3tuiAAABPBSFgACAAA=',
  v7: 'H4sIAAAAAAACA8ssSc0t1ispLmOgHTAAAjMTEzANBOi0gYGxAYOhqaGRqbGxiQlY3NzM0IhBgWEoAXTPDREAAP2i5GwAAgAA',
  pax: 'H4sIAAAAAAACA9PTD0is8EhNTEktKtbPLEnNLdYrKS5joCowAAIzExMwDQTotIGBuQmDoamhkamxsYkJSNzQyNDUiEGhgoEOoLS4JLEI6BSGkQkA3BWBtAACAAA=',
} as const

const body = (name: string, bytes: string | Buffer, what: RegExp): ForeignBody => ({
  name,
  bytes: Buffer.from(bytes as Buffer),
  what,
})

export const ARCHIVES: readonly ForeignBody[] = [
  body('gzip', gzipSync(table), /gzip data: put Gunzip/),
  body('zip', zip({ 'items.tsv': table.toString() }), /a ZIP archive: put Decompress/),
  body('empty zip', zip({}), /a ZIP archive/),
  body('xlsx', zip({ '[Content_Types].xml': '<x/>', 'xl/workbook.xml': '<x/>' }), /a ZIP archive/),
  body('zstd', base64('KLUv/SQYwQAAaWQJdGl0bGUKMQlMYW1wCjIJQ2hhaXIKTdYYsQ=='), /Zstandard data/),
  body(
    'xz',
    base64(
      '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAXaWQJdGl0bGUKMQlMYW1wCjIJQ2hhaXIKACvp1IFx7mG9AAEwGI4brOwftvN9AQAAAAAEWVo=',
    ),
    /xz data/,
  ),
  body(
    'bzip2',
    base64(
      'QlpoOTFBWSZTWeOcJTkAAAfNgAAwMAAIBCZmVAAgACGppo2oNqaFMABNHc6XiCO8lTCoNUbb4u5IpwoSHHOEpyA=',
    ),
    /bzip2 data/,
  ),
  ...Object.entries(TARS).map(([name, header]) =>
    body(`tar, ${name}`, tar(header), /a tar archive/),
  ),
  body('a tar archive of nothing', Buffer.alloc(10_240), /NUL bytes/),
  body('7z', latin1('7z\xbc\xaf\x27\x1c\0\x04'), /7z archive/),
  body('rar', latin1('Rar!\x1a\x07\x01\0'), /RAR archive/),
  body('pdf', latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n'), /PDF/),
  body('parquet', latin1('PAR1\x15\x04\x15\x10\x15\x14\x4c'), /Parquet/),
  body('xls', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0'), /workbook/),
]

/** The bodies that Decompress, `inspect` and `sync` unpack, or refuse as archives. */
export const UNPACKED: ReadonlySet<string> = new Set(['zip', 'empty zip', 'xlsx', 'zstd'])

export const BROTLI: ForeignBody = body('brotli', brotliCompressSync(table), /Brotli data/)

const TEXTS = {
  ascii: 'id;price\n1;2\n',
  Cyrillic: 'ид\tцена\n1\t2\n',
  Greek: 'κωδικός\tτιμή\n1\t2\n',
  Chinese: '名\t一上价\n灯\t三\n',
  Japanese: '商品,値段\nランプ,二\n',
}
export const WIDE: readonly ForeignBody[] = Object.entries(TEXTS).flatMap(([script, text]) =>
  (['le', 'be'] as const).flatMap(order =>
    ['\ufeff', ''].map(mark =>
      body(
        `UTF-16${order}, ${script}, ${mark ? 'with a mark' : 'without a mark'}`,
        utf16(text, order, mark),
        new RegExp(`UTF-16 text.*'utf-16${order}'`),
      ),
    ),
  ),
)

const PAGE = /it is HTML or XML/
const JSON_KIND = /it is JSON/
export const PAGES: readonly ForeignBody[] = [
  body('JSON of an error', '{"error":"quota"}', JSON_KIND),
  body('JSON over lines', '{\n  "errors": [\n    {"id": 13005}\n  ]\n}\n', JSON_KIND),
  body('JSON that is cut', '{"error":"quo', JSON_KIND),
  body('JSON cut in an escape', '{"error":"\\u00', JSON_KIND),
  body('JSON of nothing', '{}', JSON_KIND),
  body('JSON lines', '{"id":1}\n{"id":2}\n', JSON_KIND),
  body('an array of JSON', '[{"id":1,"title":"a\\tb"},{"id":2}]', JSON_KIND),
  body('an array of numbers', '[1, -2.5e+3, true, null]', JSON_KIND),
  body('JSON behind a mark', '\ufeff{"error":"quota"}', JSON_KIND),
  body('JSON behind space', '\n\n  {"error":"quota"}', JSON_KIND),
  body('HTML', '<!DOCTYPE html>\n<html><body>Sorry</body></html>', PAGE),
  body('HTML, short', '<html>login</html>', PAGE),
  body('HTML behind a comment', '<!-- made by a proxy -->\n<html>\n<head>\n', PAGE),
  body('HTML behind a mark and space', '\ufeff\r\n\t <!doctype HTML PUBLIC "-//W3C//DTD">\n', PAGE),
  body('HTML in capitals', '<HTML>\n<HEAD><TITLE>502 Bad Gateway</TITLE></HEAD>\n', PAGE),
  body('a heading of HTML', '<h1>429 Too Many Requests</h1>', PAGE),
  body('an error of PHP', '<br />\n<b>Fatal error</b>:  Out of memory in <b>x.php</b>\n', PAGE),
  body('a paragraph', '<p>Quota exceeded, try later.\n', PAGE),
  body('a redirect', '<meta http-equiv="refresh" content="0;url=/login">\n', PAGE),
  body('XML', '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', PAGE),
  body('XML without a declaration', '<Error><Code>AccessDenied</Code></Error>', PAGE),
  body('XML over lines', '<rss>\n  <channel>\n    <title>x</title>\n', PAGE),
  body('XML with a name space', '<soap:Envelope xmlns:soap="http://x">\n', PAGE),
  body('XML of one element', '<message>quota exceeded</message>\n', PAGE),
]

export const FOREIGN: readonly ForeignBody[] = [...ARCHIVES, ...WIDE, ...PAGES]

const tagName = fc.stringMatching(/^[a-zA-Z][a-z0-9]{0,8}$/)
const word = fc.stringMatching(/^[\w ,.]{1,30}$/)
const element = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(tagName, word).map(([tag, text]) => `<${tag}>x${text}</${tag}>`),
    fc
      .tuple(
        tagName,
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '\n  '),
      )
      .map(([tag, nodes, space]) => `<${tag}>${space}${nodes.join(space)}</${tag}>`),
  ),
})).node

const before = fc.constantFrom('', '\ufeff', ' ', '\r\n\t ')
const markup = fc.tuple(
  before,
  fc.constantFrom(
    '',
    '<!DOCTYPE html>\n',
    '<?xml version="1.0" encoding="utf-8"?>',
    '<!-- x -->\n',
  ),
  element,
)

const json = fc
  .tuple(
    before,
    fc.oneof(
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
      fc.array(fc.jsonValue()),
    ),
    fc.constantFrom(undefined, 2, '\t'),
    fc.constantFrom('', '\n'),
  )
  .map(([space, value, indent, end]) => space + JSON.stringify(value, null, indent) + end)

/** Bodies that are no table, at random; JSON may be cut anywhere behind its first bracket. */
export const foreignBody: fc.Arbitrary<ForeignBody> = fc.oneof(
  fc.constantFrom(...FOREIGN),
  markup.map(parts => body('markup', parts.join(''), PAGE)),
  json.map(text => body('JSON', text, JSON_KIND)),
  fc.tuple(json, fc.double({ min: 0, max: 1, noNaN: true })).map(([text, share]) => {
    const from = text.search(/[[{]/) + 1
    const end = from + Math.floor(share * (text.length - from))
    return body('JSON that is cut', text.slice(0, end), JSON_KIND)
  }),
)
