// `feedmill convert`: readers that share no code with the sinks find the cells of the file in every
// form, and a failure leaves what was there.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../src/cli/program'
import { buildZip } from '../../engine/codec/unpack/build-zip'
import { outcomeOf } from '../served'
import { type Cells, plain, rowsOf } from './rows-of'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-convert-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = (name: string) => join(folder, name)
function fileOf(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content)
  return at(name)
}

const convert = (...words: string[]) =>
  outcomeOf(() => run(['node', 'feedmill', 'convert', ...words]))

const ROWS = [
  { sku: 'A-1', title: 'a "quoted" title', price: '9.90', stock: '12' },
  { sku: 'A-2', title: 'two\nlines, and =1+1', price: '', stock: '-3' },
  { sku: '007', title: 'Größe 😀', price: '0.5', stock: '' },
]
const NAMES = Object.keys(ROWS[0]!) as (keyof (typeof ROWS)[0])[]
const quoted = (cell: string) => (/["\n,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const CSV = `${[NAMES, ...ROWS.map(row => NAMES.map(name => quoted(row[name])))]
  .map(cells => cells.join(','))
  .join('\n')}\n`
const SCHEMA = JSON.stringify({
  name: 'stock',
  columns: {
    sku: { type: 'text', required: true },
    title: { type: 'text' },
    price: { type: 'decimal', scale: 2 },
    stock: { type: 'int32' },
  },
})

/** The rows as text, which readers show in their own ways. */
const AS_TEXT: readonly Cells[] = ROWS.map(row =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === '' ? null : cell])),
)

test.each(['ndjson', 'ndjson.gz', 'csv', 'csv.gz', 'parquet', 'arrow', 'duckdb'])(
  'every cell of a CSV file stands in stock.%s as it was',
  async form => {
    const from = fileOf('stock.csv', CSV)
    const to = at(`text.${form}`)
    const { err, exitCode } = await convert(from, to)
    expect([err, exitCode]).toEqual([['3 rows written'], undefined])
    expect(plain(await rowsOf(to))).toEqual(AS_TEXT)
  },
)

test.each([
  ['ndjson', [9.9, null, 0.5].map(price => price && String(price.toFixed(price === 0.5 ? 1 : 2)))],
  ['duckdb', ['9.90', null, '0.50']],
  ['parquet', [9.9, null, 0.5]],
])('with a schema the columns of %s have its types', async (form, prices) => {
  const to = at(`typed.${form}`)
  const schema = fileOf('stock.json', SCHEMA)
  const words = [fileOf('stock.csv.gz', gzipSync(CSV)), to, '--schema', schema]
  const { err } = await convert(...words, '--table', 'stock')
  expect(err).toEqual(['3 rows written'])
  const rows = await rowsOf(to)
  expect(rows.map(({ price }) => price ?? null)).toEqual(prices)
  expect(rows.map(({ stock }) => stock ?? null)).toEqual([12, -3, null])
})

test('an inferred schema gives the columns of a ZIP archive their types', async () => {
  const zipped = fileOf(
    'stock.csv.zip',
    buildZip([{ name: 'stock.csv', content: Buffer.from(CSV) }]),
  )
  const to = at('inferred.ndjson')
  const { err } = await convert(zipped, to, '--infer')
  expect(err).toEqual(['3 rows written'])
  expect((await rowsOf(to)).map(({ sku, stock }) => [sku, stock])).toEqual([
    ['A-1', 12],
    ['A-2', -3],
    ['007', null],
  ])
  expect((await convert('-', to, '--infer')).exitCode).toBe(2)
})

test('chosen columns are written, from an address to standard output', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, {
      'content-type': 'text/csv',
      'content-length': Buffer.byteLength(CSV),
    })
    response.end(CSV)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/stock.csv?day=1`
  const { err, out } = await convert(address, '-', '--format', 'csv', '--columns', 'stock, sku')
  server.close()
  expect(err).toEqual(['3 rows written'])
  expect(out).toEqual(['stock,sku\r', '12,A-1\r', '-3,A-2\r', ',007\r'])
})

const BAD = `sku\tprice\nA-1\t1.00\nA-2\nA-3\tcheap\nA-4\t2.00\n`

test('a bad row or cell fails the command, and leaves what was there', async () => {
  const schema = fileOf('stock.json', SCHEMA)
  const from = fileOf('bad.tsv', BAD)
  const to = fileOf('old.csv', 'old')
  const first = await convert(from, to)
  expect(first.err[0]).toMatch(/^feedmill: TSV_ROW_SHORT: .*line 3/)
  expect(first.exitCode).toBe(1)
  const second = await convert(from, to, '--schema', schema, '--bad-rows', 'skip')
  expect(second.err[0]).toMatch(/^feedmill: CELL_INVALID: .*line 4/)
  expect(readFileSync(to, 'utf8')).toBe('old')
  expect(readdirSync(folder).filter(name => name.includes('.partial'))).toEqual([])
})

test('bad rows and cells are left out, made empty, or put into a quarantine', async () => {
  const schema = fileOf('stock.json', SCHEMA)
  const from = fileOf('bad.tsv', BAD)
  const skipped = ['--bad-rows', 'skip', '--bad-cells', 'null']
  const to = at('good.ndjson')
  const one = await convert(from, to, '--schema', schema, ...skipped)
  expect(one.err).toEqual(['3 rows written, 1 left out'])
  expect((await rowsOf(to)).map(({ price }) => price)).toEqual(['1.00', null, '2.00'])
  const left = at('left.ndjson')
  const two = await convert(from, to, '--schema', schema, '--quarantine', left)
  expect(two.err).toEqual(['2 rows written, 2 left out'])
  expect((await rowsOf(to)).map(({ sku }) => sku)).toEqual(['A-1', 'A-4'])
  expect(readFileSync(left, 'utf8')).toMatch(/"text":"A-2\\n".*\n.*"text":"A-3\\tcheap\\n"/)
})

test('a table that is there is refused, replaced or appended to', async () => {
  const from = fileOf('stock.csv', CSV)
  const to = at('mode.duckdb')
  await convert(from, to)
  expect((await convert(from, to)).err[0]).toMatch(/stock/)
  expect(await rowsOf(to)).toHaveLength(3)
  await convert(from, to, '--mode', 'append')
  expect(await rowsOf(to)).toHaveLength(6)
  await convert(from, to, '--mode', 'replace')
  expect(await rowsOf(to)).toHaveLength(3)
})

test('what the second argument is must be known, and nothing of it is shown', async () => {
  const from = fileOf('stock.csv', CSV)
  const { err, exitCode } = await convert(from, 'mysql://shop@host/pw-7f3a9c')
  expect(exitCode).toBe(2)
  expect(err.join()).toMatch(/OPTION_INVALID: out must be a name such as FILE.ndjson/)
  expect(err.join()).not.toContain('pw-7f3a9c')
  expect((await convert(from, '-')).exitCode).toBe(2)
  expect((await convert(at('missing.csv'), at('x.csv'))).exitCode).toBe(1)
  expect(existsSync(at('x.csv'))).toBe(false)
})

test('a file as it comes is read by the dialect of its schema, and by a line sep=', async () => {
  const lines = ['Report', 'sku;title', '(id);(text)', 'A-1; Größe – 5 € ', '', 'A-2', 'sku;title']
  const bytes = Buffer.from(lines.join('\r\n').replace('–', '\x96').replace('€', '\x80'), 'latin1')
  const schema = fileOf(
    'as-it-comes.json',
    JSON.stringify({
      name: 'stock',
      columns: { sku: { type: 'text' }, title: { type: 'text' } },
      dialect: {
        delimiter: ';',
        encoding: 'windows-1252',
        skipLines: 1,
        unitLines: 1,
        trim: true,
        shortRows: 'fill',
        blankLines: 'skip',
        repeatedHeader: 'skip',
      },
    }),
  )
  const to = at('as-it-comes.ndjson')
  await convert(fileOf('as-it-comes.csv', bytes), to, '--schema', schema)
  expect(await rowsOf(to)).toEqual([
    { sku: 'A-1', title: 'Größe – 5 €' },
    { sku: 'A-2', title: null },
  ])
  for (const infer of [[], ['--infer']]) {
    const named = at(`named${infer.length}.ndjson`)
    await convert(fileOf('named.csv', 'sep=;\nsku;title\nA-1;"x ""y"""\n'), named, ...infer)
    expect(await rowsOf(named)).toEqual([{ sku: 'A-1', title: 'x "y"' }])
  }
})

const LINES = ROWS.map(row => `${JSON.stringify(row)}\n`).join('')

test('lines of JSON are found by their first lines, or by the name of the file', async () => {
  const files = ['in.ndjson', 'in.jsonl', 'in.txt', 'in'].map(name => fileOf(name, LINES))
  const zipped = fileOf('in.ndjson.gz', gzipSync(`\ufeff\n${LINES.replaceAll('\n', '\r\n')}`))
  for (const from of [...files, zipped])
    for (const infer of [[], ['--infer']]) {
      const to = at('out.csv')
      const { err, exitCode } = await convert(from, to, ...infer)
      expect([err, exitCode]).toEqual([['3 rows written'], undefined])
      expect(plain(await rowsOf(to))).toEqual(AS_TEXT)
      rmSync(to)
    }
  const one = `${JSON.stringify({ sku: 'A-1', price: 1.5, more: { a: [1] } })}`
  await convert(fileOf('one.jsonl', one), at('one.csv'), '--infer')
  expect(await rowsOf(at('one.csv'))).toEqual([{ sku: 'A-1', price: '1.5', more: '{"a":[1]}' }])
})

test('a single object is none of them, and what was asked for wins', async () => {
  const answer = fileOf('answer.csv', '{"error":"quota"}')
  const { err, exitCode } = await convert(answer, at('answer.ndjson'))
  expect([err[0], exitCode]).toEqual([expect.stringMatching(/JSON and no table/), 1])
  expect(existsSync(at('answer.ndjson'))).toBe(false)
  await convert(fileOf('answer', '{"error":"quota"}'), at('asked.csv'), '--quoting', 'json-lines')
  expect(await rowsOf(at('asked.csv'))).toEqual([{ error: 'quota' }])
  const table = await convert(fileOf('table.ndjson', LINES), at('table.csv'), '--quoting', 'none')
  expect(table.err[0]).toMatch(/TSV_HEADER_INVALID: .*JSON and no table/)
  const pipes = fileOf('pipes.ndjson', 'a|b\n1|2\n')
  await convert(pipes, at('pipes.csv'), '--delimiter', '|')
  expect(await rowsOf(at('pipes.csv'))).toEqual([{ a: '1', b: '2' }])
})

test('lines of JSON at an address may have its label, where they are asked for', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(LINES),
    })
    response.end(LINES)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const [address, to] = [`http://127.0.0.1:${port}/stock`, at('address.csv')]
  const refused = await convert(address, to)
  const { err } = await convert(address, to, '--quoting', 'json-lines', '--columns', 'sku')
  server.close()
  expect(refused.err[0]).toMatch(/HTTP_CONTENT_TYPE/)
  expect(err).toEqual(['3 rows written'])
  expect(await rowsOf(to)).toEqual(ROWS.map(({ sku }) => ({ sku })))
})
