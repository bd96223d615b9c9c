// Bodies that are no table, by every road into a target that is replaced: the run is refused, and
// the target is as it was. Tables whose headings look like something else are read by every road.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createColumnParser, createInflater, createRowParser } from '../../../src/engines'
import {
  ChunkReassembler,
  csvSink,
  type Dialect,
  FeedError,
  FileSource,
  Gunzip,
  ndjsonSink,
  type Pipeline,
  pipeline,
  RangeFetcher,
  sqliteSink,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
  type TsvRowParserOptions,
} from '../../../src/index'
import { inspect } from '../../../src/inspect'
import { ARCHIVES, BROTLI, FOREIGN, foreignBody, PAGES, UNPACKED } from '../../foreign-bodies'
import { QUOTINGS, writtenIn } from '../../tsv-text'
import { readSqlite, SQLITE_DRIVERS } from '../sinks/sqlite-drivers'
import { ScriptedTransport } from './scripted-transport'

const GOOD = 'id\ttitle\n1\tLamp\n'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-bodies-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

type Options = TsvRowParserOptions<Record<string, never>>
type Cut = (bytes: Uint8Array) => Uint8Array[]

const LABELS = [undefined, 'application/octet-stream', 'text/csv', 'text/plain', 'application/gzip']
const label = fc.constantFrom(...LABELS)

const cut: fc.Arbitrary<Cut> = fc.oneof(
  fc.constantFrom<Cut>(
    bytes => [bytes],
    bytes => Array.from(bytes, byte => Uint8Array.of(byte)),
  ),
  fc.array(fc.nat(700), { maxLength: 5 }).map(
    (ends): Cut =>
      bytes => {
        const at = [0, ...ends.map(end => Math.min(end, bytes.length)).sort((a, b) => a - b)]
        return at.map((from, n) => bytes.subarray(from, at[n + 1] ?? bytes.length))
      },
  ),
)

const fetched = (bytes: Uint8Array, type: string | undefined, parts: Cut, ranged: boolean) =>
  pipeline(
    new RangeFetcher({
      url: 'http://feed.test/file',
      retry: { patienceMs: 0 },
      transport: new ScriptedTransport(bytes, asked => {
        const whole = parts(bytes.subarray(asked.start, asked.end))
        const labels = type === undefined ? {} : { 'content-type': type }
        const range = `bytes ${asked.start}-${Math.min(asked.end, bytes.length) - 1}/${bytes.length}`
        return ranged
          ? { status: 206, headers: { ...labels, 'content-range': range }, body: whole }
          : {
              status: 200,
              headers: { ...labels, 'content-length': `${bytes.length}` },
              body: whole,
            }
      }),
    }),
  ).to(new ChunkReassembler())

/** The sources of bytes. */
const sources: Record<
  string,
  (bytes: Uint8Array, type: string | undefined, parts: Cut) => Pipeline<Uint8Array>
> = {
  iterable: (bytes, _, parts) => pipeline(parts(bytes)),
  ranges: (bytes, type, parts) => fetched(bytes, type, parts, true),
  'a whole body': (bytes, type, parts) => fetched(bytes, type, parts, false),
  file: bytes => {
    const path = join(folder, 'body')
    writeFileSync(path, bytes)
    return pipeline(new FileSource(path))
  },
  'a web stream': (bytes, _, parts) =>
    pipeline(new Blob(parts(bytes).map(part => Uint8Array.from(part))).stream()),
}

/** What is done with the bytes, into a file that is replaced. */
const roads: Record<
  string,
  (bytes: Pipeline<Uint8Array>, path: string, options: Options) => Promise<unknown>
> = {
  rows: (bytes, path, options) => bytes.to(new TsvRowParser(options)).run(ndjsonSink(path)),
  objects: (bytes, path, options) => bytes.to(new TsvObjectParser(options)).run(ndjsonSink(path)),
  columns: async (bytes, path, options) => {
    const rows = await bytes.to(new TsvColumnParser(options)).toArray()
    writeFileSync(path, String(rows.length))
  },
  'rows that skip': (bytes, path, options) =>
    bytes.to(new TsvRowParser({ ...options, onBadRow: 'skip' })).run(csvSink(path)),
}

async function refusalOf(run: Promise<unknown>): Promise<FeedError> {
  const error = await run.then(
    () => undefined,
    caught => caught,
  )
  expect(error).toBeInstanceOf(FeedError)
  return error
}

describe('fault 136: a body that is no table replaces nothing', () => {
  test.each(SQLITE_DRIVERS)('a table of SQLite, by the driver %s', async (_, open) => {
    const path = join(folder, 'good.sqlite')
    const into = (bytes: Uint8Array) =>
      pipeline([bytes])
        .to(new TsvRowParser())
        .run(sqliteSink(path, { table: 'items', mode: 'replace', open }))
    await into(Buffer.from(GOOD))
    for (const { bytes, what } of FOREIGN) {
      expect(await refusalOf(into(bytes))).toMatchObject({
        code: 'TSV_HEADER_INVALID',
        context: { reason: expect.stringMatching(what) },
      })
      expect(readSqlite(path, 'SELECT * FROM items')).toEqual([{ id: '1', title: 'Lamp' }])
    }
  })

  test('any body, any label, any source, any road, any cut', async () => {
    const path = join(folder, 'good.ndjson')
    await fc.assert(
      fc.asyncProperty(
        foreignBody,
        label,
        fc.constantFrom(...Object.values(sources)),
        fc.constantFrom(...Object.values(roads)),
        cut,
        fc.constantFrom('plain', 'gzip'),
        fc.constantFrom<Dialect>({}, { delimiter: ',' }, { header: ['a'] }, { comment: '#' }),
        async ({ bytes, what }, type, source, road, parts, coding, dialect) => {
          writeFileSync(path, 'good')
          const isGzip = coding === 'gzip'
          const from = source(isGzip ? gzipSync(bytes) : bytes, type, parts)
          const error = await refusalOf(
            road(isGzip ? from.to(new Gunzip()) : from, path, { dialect }),
          )
          if (isGzip && error.code === 'GZIP_NESTED') return
          expect(error).toMatchObject({ code: 'TSV_HEADER_INVALID', retryable: false })
          expect(error.message).toMatch(what)
          expect(readFileSync(path, 'utf8')).toBe('good')
        },
      ),
      { numRuns: 120 },
    )
  })

  test('any body under Gunzip', async () => {
    const path = join(folder, 'good.ndjson')
    await fc.assert(
      fc.asyncProperty(
        foreignBody.filter(({ name }) => name !== 'gzip'),
        label,
        fc.constantFrom(...Object.entries(sources)),
        cut,
        async ({ bytes, what }, type, [name, source], parts) => {
          writeFileSync(path, 'good')
          const error = await refusalOf(
            source(bytes, type, parts)
              .to(new Gunzip())
              .to(new TsvRowParser())
              .run(ndjsonSink(path)),
          )
          const isHttp = name === 'ranges' || name === 'a whole body'
          expect(error.code).toBe(isHttp ? 'HTTP_CONTENT_TYPE' : 'GZIP_HEADER_INVALID')
          // Over HTTP the first part of the body is what there is.
          if (!isHttp) expect(error.message).toMatch(what)
          expect(readFileSync(path, 'utf8')).toBe('good')
        },
      ),
      { numRuns: 120 },
    )
  })

  test('Brotli, which only its label shows', async () => {
    const path = join(folder, 'items.tsv.br')
    writeFileSync(path, BROTLI.bytes)
    const file = () => pipeline(new FileSource(path))
    for (const read of [file().to(new TsvRowParser()), file().to(new Gunzip())])
      expect((await refusalOf(read.toArray())).message).toMatch(BROTLI.what)
    const headers = { 'content-encoding': 'br' }
    const transport = new ScriptedTransport(BROTLI.bytes, () => ({
      status: 200,
      headers,
      body: [BROTLI.bytes],
    }))
    const fetcher = new RangeFetcher({ url: 'http://feed.test/file', transport })
    expect(await refusalOf(pipeline(fetcher).toArray())).toMatchObject({
      code: 'HTTP_CONTENT_TYPE',
      message: expect.stringMatching(BROTLI.what),
    })
  })

  test('the engines of feedmill/engines, byte by byte', () => {
    for (const { bytes, what } of FOREIGN) {
      for (const engine of [createRowParser(), createColumnParser()]) {
        const read = () => [
          ...Array.from(bytes, byte => [...engine.push(Uint8Array.of(byte))]),
          ...engine.end(),
        ]
        expect(read).toThrow(what)
      }
      if (bytes[0] === 0x1f) continue
      const inflater = createInflater()
      expect(() => [
        ...Array.from(bytes, byte => [...inflater.push(Uint8Array.of(byte))]),
        ...inflater.end(),
      ]).toThrow(what)
    }
  })

  test('inspect reports it', async () => {
    for (const { name, bytes, what } of [...ARCHIVES, ...PAGES]) {
      // These are read.
      if (name === 'gzip' || name === 'JSON lines') continue
      for (const content of UNPACKED.has(name) ? [gzipSync(bytes)] : [bytes, gzipSync(bytes)]) {
        const { failure, rows } = await inspect([content])
        expect([rows, failure?.code]).toEqual([0, 'TSV_HEADER_INVALID'])
        expect(failure?.message).toMatch(what)
      }
    }
  })

  test('the message over HTTP names the option, and the option reads the table', async () => {
    const bytes = Buffer.from(GOOD)
    const read = (content?: 'table') => {
      const transport = new ScriptedTransport(bytes, () => ({
        status: 200,
        headers: { 'content-type': 'text/html; charset=UTF-8', 'content-length': '16' },
        body: [bytes],
      }))
      const url = 'http://feed.test/export.php'
      const fetcher = new RangeFetcher({ url, transport, ...(content && { content }) })
      return pipeline(fetcher).to(new ChunkReassembler()).to(new TsvObjectParser()).toArray()
    }
    expect(await refusalOf(read())).toMatchObject({
      code: 'HTTP_CONTENT_TYPE',
      message: expect.stringContaining("content: 'table'"),
    })
    expect(await read('table')).toEqual([{ id: '1', title: 'Lamp' }])
  })
})

const plain = fc.stringMatching(/^[A-Za-z0-9äß名 .]{0,6}$/)
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)
const heading = fc.oneof(
  plain,
  word.map(name => `[${name}]`),
  word.map(name => `{${name}}`),
  fc.nat(30).map(year => `[${year}]`),
  word.map(name => `<${name}>`),
  fc.constantFrom(
    '<html>',
    '<b>',
    '<p>',
    '<',
    '<5',
    '<!',
    '>',
    '<=',
    '[',
    '{',
    '[]',
    '{}',
    '[1',
    '{"a"',
    "{'a':1}",
    '[null]',
    '"',
    '"a":1',
    '\\',
    'PK',
    'BZh9',
  ),
)
const cell = fc.oneof(
  plain,
  heading,
  fc.constantFrom('a\0b', '<b>x</b>', '\r\n', '[1,2]', '{"a":1}'),
)

interface Table {
  readonly dialect: Dialect
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly mark: string
}

const table: fc.Arbitrary<Table> = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.nat(4))
  .chain(([columns, rows]) =>
    fc.record({
      dialect: fc.record({
        delimiter: fc.constantFrom('\t', ',', ';', '|', '~', '\x01', '='),
        quoting: fc.constantFrom(...QUOTINGS),
      }),
      names: fc.uniqueArray(heading, {
        minLength: columns,
        maxLength: columns,
        selector: name => name.trim().toLowerCase(),
      }),
      rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
      mark: fc.constantFrom('', '\ufeff'),
    }),
  )

/**
 * A text that nobody can tell from JSON, because JSON.parse takes it, or its first line, with some
 * ending. It knows no prefixes: it closes what is open, behind each ending that may be missing.
 */
function isJsonToo(text: string): boolean {
  const start = text.replace(/^\ufeff/, '')
  if (!/^\s*[[{]/.test(start)) return false
  const open: string[] = []
  for (const [bracket] of start.replace(/"[^"]*"?/g, '').matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') open.unshift(bracket === '[' ? ']' : '}')
    else open.shift()
  }
  const endings = ['', '0', '"', '":0', ':0', '"":0'].map(end => start + end + open.join(''))
  return [start.split('\n', 1)[0]!, ...endings].some(whole => {
    try {
      JSON.parse(whole)
      return true
    } catch {
      return false
    }
  })
}

test('fault 136: tables with any headings are read, in every dialect and cut', () => {
  let read = 0
  fc.assert(
    fc.property(table, cut, ({ dialect, names, rows, mark }, parts) => {
      const canWrite = (text: string) =>
        !text.includes('"') &&
        (dialect.quoting !== 'none' || !(/[\r\n]/.test(text) || text.includes(dialect.delimiter!)))
      fc.pre([...names, ...rows.flat()].every(canWrite))
      const line = (cells: readonly string[]) =>
        `${cells.map(text => writtenIn(dialect, text)).join(dialect.delimiter)}\n`
      const text = mark + [names, ...rows].map(line).join('')
      fc.pre(!isJsonToo(text))
      const results = ([undefined, 'table'] as const).map(content => {
        const parser = createRowParser({ dialect, ...(content && { content }) })
        const batches = [
          ...parts(Buffer.from(text)).flatMap(part => [...parser.push(part)]),
          ...parser.end(),
        ]
        return batches.flatMap(batch => Array.from(batch, row => Object.values(row.toStrings())))
      })
      read++
      expect(results[0]).toEqual(results[1])
      expect(results[0]?.length).toBe(rows.length)
    }),
    { numRuns: 1500 },
  )
  expect(read).toBe(1500)
})

test("fault 136: content: 'table' reads a table that begins as JSON or a page does", () => {
  for (const [text, name] of [
    ['{}\n{}\n', '{}'],
    ['[1]\n[2]\n', '[1]'],
    ['<b>id</b>\n1\n', '<b>id</b>'],
  ] as const) {
    const read = (content?: 'table') => {
      const parser = createRowParser(content && { content })
      const batches = [...parser.push(Buffer.from(text)), ...parser.end()]
      return batches.flatMap(batch => Array.from(batch, row => row.get(name)))
    }
    expect(() => read()).toThrow(/content: 'table'/)
    expect(read('table')).toEqual([text.split('\n')[1]])
  }
  expect(() => createRowParser({ content: 'page' as 'table' })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
