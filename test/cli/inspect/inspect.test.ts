import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { exitCodeOf } from '../../../src/cli/exit-code'
import { program } from '../../../src/cli/program'
import { describedFile } from '../../../src/cli/schema-file'
import { outcomeOf } from '../served'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-inspect-'))
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const command = (...words: string[]) =>
  outcomeOf(async () => {
    await program(['node', 'feedmill']).parseAsync(['node', 'feedmill', 'inspect', ...words])
  })

const GOOD = 'itemId\ttitle\tpriceValue\nv1|1|0\ta\t9.90\nv1|2|0\tb\t1.00\n'

test('the command prints the facts, the columns and a sample', async () => {
  const { out, exitCode, error } = await command(fileOf('good.tsv.gz', gzipSync(GOOD)))
  expect(error).toBeUndefined()
  expect(exitCode).toBeUndefined()
  const text = out.join('\n')
  for (const part of [
    /good\.tsv\.gz: 2 rows, 0 bad, 3 columns, schema item \(guessed\), 52 bytes of text/,
    /gzip: \d+ bytes, ratio .*, checksums of 1 of 1 members verified/,
    /priceValue +decimal +2 +0\.0% +2 +4-4, mean 4\.0 +1 to 9\.9/,
    /row 1, line 2\n {2}itemId: v1\|1\|0/,
  ])
    expect(text).toMatch(part)
})

test('bad rows, invalid cells and the header are shown with their positions', async () => {
  const { out } = await command(
    fileOf('bad.tsv', `${GOOD}v1|3|0\tc\t1,5\nshort\n`),
    '--sample',
    '0',
  )
  const text = out.join('\n')
  expect(text).toContain('bad rows: TSV_ROW_SHORT 1')
  expect(text).toContain('row 4, line 5, byte 65: 1 cells in a file of 3 columns: "short"')
  expect(text).toContain('priceValue, row 3, line 4, byte 52: not a decimal number: "1,5"')
  expect(text).toContain('header, missing: imageUrl,')
  expect(text).not.toContain('row 1, line 2')
})

test('a control character of the file does not reach the terminal', async () => {
  const { out } = await command(fileOf('evil.tsv', 'itemId\ttitle\n1\t\u001b[31mred\u0007\n'))
  expect(out.join('\n')).toContain('title: �[31mred�')
  for (const control of ['\u001b', '\u0007']) expect(out.join('')).not.toContain(control)
})

test('JSON is one line with the version, and can be compared with', async () => {
  const path = fileOf('good.tsv', GOOD)
  const { out } = await command(path, '--json')
  expect(out.filter(line => line !== '')).toHaveLength(1)
  expect(JSON.parse(out[0]!)).toMatchObject({ version: 1, source: path, rows: 2, failure: null })
  const before = fileOf('before.json', out[0]!)

  const same = await command(path, '--against', before)
  expect(same.out.join('\n')).toContain('drift: none')
  expect(same.exitCode).toBeUndefined()

  const lost = fileOf('lost.tsv', 'itemId\ttitle\nv1|1|0\ta\nv1|2|0\tb\n')
  const broken = await command(lost, '--against', before, '--json')
  expect(broken.exitCode).toBe(1)
  expect(JSON.parse(broken.out[0]!).drift).toMatchObject([
    { rule: 'column-lost', severity: 'breaks', column: 'priceValue' },
  ])

  const more = fileOf('more.tsv', GOOD.replaceAll('\n', '\tx\n').replace('\tx\n', '\textra\n'))
  const noticed = await command(more, '--against', before)
  expect(noticed.exitCode).toBeUndefined()
  expect(noticed.out.join('\n')).toMatch(/notice +column-new +extra/)
})

test('with --against the schema is that of the report, even where the names have changed', async () => {
  const before = fileOf('before.json', (await command(fileOf('good.tsv', GOOD), '--json')).out[0]!)
  const other = fileOf('other.tsv', GOOD.replace('title', 'a').replace('priceValue', 'b'))
  const { out, exitCode } = await command(other, '--against', before, '--json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(out[0]!)).toMatchObject({ schema: 'item', schemaIsGuess: false })
  const empty = await command(fileOf('empty.tsv', ''), '--against', before)
  expect(empty.out.join('\n')).toMatch(/breaks +unreadable/)
  const own = await command(other, '--against', before, '--feed', 'item_priority')
  expect(own.error).toMatchObject({ code: 'OPTION_INVALID' })
})

test('a file that cannot be read to its end is reported, with exit code 1', async () => {
  const { out, exitCode } = await command(fileOf('cut.gz', gzipSync(GOOD).subarray(0, -3)))
  expect(exitCode).toBe(1)
  expect(out.join('\n')).toContain('checksums of 0 of 1 members verified')
  expect(out.at(-1)).toMatch(/^The file cannot be read to its end: GZIP_TRUNCATED: /)
})

test('--html writes a page', async () => {
  const page = join(folder, 'page.html')
  const { error } = await command(fileOf('good.tsv', GOOD), '--html', page)
  expect(error).toBeUndefined()
  expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<svg/)
})

test('a schema of the user and a dialect', async () => {
  const schema = fileOf(
    'stock.json',
    JSON.stringify({ name: 'stock', columns: { sku: { type: 'text' }, stock: { type: 'int32' } } }),
  )
  const path = fileOf('stock.csv', 'sku;stock\n"a ""b""";12\nc;many\n')
  const { out } = await command(
    path,
    '--schema',
    schema,
    '--delimiter',
    ';',
    '--quoting',
    'doubled',
    '--json',
  )
  const report = JSON.parse(out[0]!)
  expect(report).toMatchObject({ schema: 'stock', schemaIsGuess: false, rows: 2 })
  expect(report.columns[1]).toMatchObject({
    type: 'int32',
    invalid: 1,
    range: { min: 12, max: 12 },
  })
  expect(report.sample[0].cells[0].text).toBe('a "b"')
})

test('a file of another dialect is read by it, and the report says so', async () => {
  const { out } = await command(fileOf('comma.csv', 'sku,stock\n"a, ""b""",1\n'))
  expect(out[0]).toContain('comma.csv: 1 rows, 0 bad, 2 columns')
  expect(out[1]).toBe("read with --delimiter ',' --quoting doubled, as the header line is written")
  const path = fileOf('backslash.csv', 'sku,stock\n"a\\"b",1\n')
  const quoting = await command(path, '--quoting', 'backslash')
  expect(quoting.out[1]).toContain("--delimiter ',' --quoting backslash")
  expect(quoting.out.join('\n')).toContain('  sku: a"b')
})

test('a file in another encoding is read by it, and the command says so', async () => {
  const path = join(folder, 'utf16.csv')
  writeFileSync(path, Buffer.from('\ufeffsku;größe\nc;1\n', 'utf16le'))
  const { out } = await command(path)
  expect(out[0]).toContain('1 rows, 0 bad, 2 columns')
  expect(out[1]).toBe(
    "read with --encoding utf-16le --delimiter ';' --quoting doubled, as the header line is written",
  )
  const given = await command(path, '--encoding', 'utf-16', '--json')
  expect(JSON.parse(given.out[0]!)).toMatchObject({ rows: 1, dialect: { encoding: 'utf-16' } })
})

test('lines of JSON are read, and the command says so', async () => {
  const path = fileOf('lines.ndjson', '{"sku":"A-1","stock":12}\n{"stock":null,"sku":"A-2"}\n')
  const { out } = await command(path)
  expect(out[0]).toContain('lines.ndjson: 2 rows, 0 bad, 2 columns')
  expect(out[1]).toBe('read with --quoting json-lines, as the first lines are written')
  const schema = join(folder, 'lines.json')
  await command(path, '--write-schema', schema)
  expect(JSON.parse(readFileSync(schema, 'utf8'))).toEqual({
    name: 'lines',
    columns: { sku: { type: 'text' }, stock: { type: 'int32' } },
    dialect: { quoting: 'json-lines' },
  })
  const again = await command(path, '--schema', schema, '--json')
  expect(JSON.parse(again.out[0]!)).toMatchObject({ schema: 'lines', rows: 2, failure: null })
})

test('a file of another dialect than the given one is answered with the options', async () => {
  const { out } = await command(fileOf('comma.csv', 'sku,stock\nc,1\n'), '--delimiter', ';')
  expect(out.at(-1)).toBe("Try --delimiter ',' --quoting doubled")
})

test('bad rows that are all faults of quotes are answered with --quoting none', async () => {
  const path = fileOf('quotes.tsv', 'a\tb\n"x" y\t1\nz\t2\n')
  const { out } = await command(path)
  expect(out).toContain('All of them are faults of quotes. Try --quoting none')
  const others = await command(fileOf('others.tsv', 'a\tb\n"x" y\t1\nz\n'))
  expect(others.out.join('\n')).not.toContain('--quoting none')
  const none = await command(path, '--quoting', 'none')
  expect(none.out.join('\n')).toContain('2 rows, 0 bad')
})

test('--header and --comment read a file without a header line', async () => {
  const path = fileOf('bare.tsv', '# made today\nA-1\t7\n')
  const { out } = await command(path, '--header', 'sku,stock', '--comment', '#', '--json')
  expect(JSON.parse(out[0]!)).toMatchObject({
    rows: 1,
    header: { columns: ['sku', 'stock'] },
    dialect: { header: ['sku', 'stock'], comment: '#' },
    dialectIsGuess: false,
  })
})

const STOCK = 'sku;on sale;price\n"A;1";true;9.90\nA-2;;12.5\n'

test('--write-schema writes a schema by which --schema reads the file', async () => {
  const path = fileOf('my stock.csv', STOCK)
  const written = join(folder, 'written.json')
  const { out, error, exitCode } = await command(path, '--write-schema', written)
  expect([error, exitCode]).toEqual([undefined, undefined])
  expect(JSON.parse(readFileSync(written, 'utf8'))).toEqual({
    name: 'my_stock',
    dialect: { delimiter: ';', quoting: 'doubled' },
    columns: {
      sku: { type: 'text' },
      'on sale': { type: 'boolean' },
      price: { type: 'decimal', scale: 2 },
    },
  })
  const at = out.indexOf('schema my_stock, of the cells of 2 rows:')
  expect(out.slice(at + 1)).toEqual([
    '  sku: text',
    '    only text: row 1, line 2: "A;1"',
    '  on sale: boolean',
    '  price: decimal, scale 2',
    '    not int32, int64: row 1, line 2: "9.90"',
  ])

  const read = JSON.parse((await command(path, '--schema', written, '--json')).out[0]!)
  expect(read).toMatchObject({ schema: 'my_stock', rows: 2, dialectIsGuess: false })
  const types = read.columns.map(({ type }: { type: string }) => type)
  expect(types).toEqual(['text', 'boolean', 'decimal'])
  const other = await command(path, '--schema', written, '--delimiter', ',', '--json')
  expect(JSON.parse(other.out[0]!).dialect).toEqual({ delimiter: ',', quoting: 'doubled' })
})

test('with --write-schema the report has what decided', async () => {
  const path = fileOf('years.tsv', 'year\tYear\n1999\t1\n\\N\t2\nshort\n')
  const words = [path, '--write-schema', join(folder, 'years.json')]
  const { out } = await command(...words, '--json')
  expect(JSON.parse(out[0]!).inferred).toMatchObject({
    schema: { name: 'years', columns: { year: { type: 'text' } } },
    columns: [
      {
        heading: 'year',
        nullWords: [{ word: '\\N', row: 2, line: 3, byteOffset: 17 }],
        typeWithoutNullWords: 'int32',
      },
      { heading: 'Year', inSchema: false },
    ],
  })
  const text = await command(...words)
  for (const line of [
    'schema years, of the cells of 2 rows, without 1 bad rows:',
    '  year: text, word for null \\N (row 2, line 3), int32 without words for null',
    '    not boolean, date, timestamp, json: row 1, line 2: "1999"',
    '    not int32, int64, decimal, float64: row 2, line 3: "\\\\N"',
    '  Year: text, not in the schema: the heading is empty or repeated',
  ])
    expect(text.out).toContain(line)
})

test('a file that cannot be read to its end has no schema, and an earlier one stays', async () => {
  const path = fileOf('cut.gz', gzipSync(GOOD).subarray(0, -3))
  const written = fileOf('earlier.json', 'earlier')
  const { exitCode } = await command(path, '--write-schema', written)
  expect(exitCode).toBe(1)
  expect(readFileSync(written, 'utf8')).toBe('earlier')
  const types = await command(path, '--types')
  expect([types.exitCode, types.out]).toEqual([1, []])
  expect(types.err.join('\n')).toContain('GZIP_TRUNCATED')
})

test('--types prints TypeScript that compiles and is the schema', { timeout: 60_000 }, async () => {
  const odd = ['sku', 'it\'s \\ "odd"', '__proto__', 'a\u001bb', '2', 'when', 'price']
  const row = ['a', 'true', '1', '9999999999', '1e-7', '2026-02-03', '1.50']
  const line = (cells: string[]) =>
    `${cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(';')}\n`
  const path = fileOf('odd.csv', line(odd) + line(row))
  const written = join(folder, 'odd.json')
  const { out } = await command(path, '--types', '--write-schema', written)
  const code = out.join('\n')
  expect(code).toMatch(/^import \{ type Dialect, .*\} from 'feedmill'\n/)

  const typed = fileOf('odd.ts', code)
  const root = join(import.meta.dirname, '../../..')
  const compiled = ts.createProgram([typed], {
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { feedmill: [join(root, 'src/index.ts')] },
  })
  const faults = compiled.getSemanticDiagnostics(compiled.getSourceFile(typed))
  expect(faults.map(({ messageText }) => messageText)).toEqual([])

  const source = pathToFileURL(join(root, 'src/index.ts')).href
  const target = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const script = ts.transpile(code, target).replace('"feedmill"', `'${source}'`)
  const module = fileOf('odd.mjs', script.replace("'feedmill'", `'${source}'`))
  expect(await describedFile(module)).toEqual(await describedFile(written))
})

test('a URL is read in ranges, or as a whole from a server without them', async () => {
  const bytes = gzipSync(GOOD)
  const ranges: (string | undefined)[] = []
  const server = createServer((request, response) => {
    ranges.push(request.headers.range)
    if (request.url === '/whole') return void response.end(bytes)
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '')!.map(Number)
    const part = bytes.subarray(from!, to! + 1)
    response.writeHead(206, {
      'content-range': `bytes ${from}-${from! + part.length - 1}/${bytes.length}`,
    })
    response.end(part)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    for (const path of ['/ranges', '/whole']) {
      const { out, error } = await command(`${origin}${path}?token=secret`, '--json')
      expect(error).toBeUndefined()
      const report = JSON.parse(out[0]!)
      expect(report).toMatchObject({ rows: 2, sourceBytes: bytes.length })
      expect(report.source).toBe(`${origin}${path}?token=…`)
    }
    expect(ranges[0]).toMatch(/^bytes=0-/)
  } finally {
    await new Promise(resolve => server.close(resolve))
  }
})

test.each([
  [[]],
  [['a', 'b']],
  [['a', '--feed', 'other']],
  [['a', '--schema', 'b.json', '--feed', 'item']],
  [['a', '--sample', '-1']],
  [['a', '--quoting', 'some']],
  [['a', '--delimiter', 'ab']],
  [['a', '--schema', 'none.json']],
  [['a', '--schema', 'b.json', '--write-schema', 'c.json']],
  [['a', '--feed', 'item', '--write-schema', 'c.json']],
  [['a', '--feed', 'item', '--types']],
  [['a', '--types', '--json']],
  [['a', '--comment', '##']],
  [['a', '--against', 'none.json']],
  [['http://user:secret@127.0.0.1/']],
])('wrong usage: %j', async words => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { error, out } = await command(...words)
  expect(exitCodeOf(error)).toBe(2)
  expect(out.join('')).toBe('')
})

test('a report that is none is wrong usage, and a missing file a failure', async () => {
  const path = fileOf('good.tsv', GOOD)
  const { error } = await command(path, '--against', fileOf('other.json', '{"version":2}'))
  expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: 'before' } })
  expect(exitCodeOf((await command(join(folder, 'none'))).error)).toBe(1)
})
