import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pipeline } from '../../src/pipeline/pipeline'
import { defineSchema } from '../../src/schema/feed-schema'
import { csvSink } from '../../src/sinks/csv-sink'
import { ndjsonSink } from '../../src/sinks/ndjson-sink'
import { TsvRowParser } from '../../src/stages/tsv-row-parser'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-sinks-'))
})
afterEach(() => rm(folder, { recursive: true }))

const schema = defineSchema('item', {
  itemId: { type: 'text', required: true, source: 'test' },
  price: { type: 'decimal', source: 'test' },
  seen: { type: 'timestamp', source: 'test' },
  tags: { type: 'commaList', source: 'test' },
})
const rows = (text: string) => pipeline([Buffer.from(text)]).to(new TsvRowParser({ schema }))
const text = 'itemId\tprice\tseen\ttags\textra\nv1|1|0\t-9.90\t2026-03-01T12:00:00.000Z\ta,b\t=1+1\nv1|2|0\t\t\t\t"a\nb, \\"c\\""\n'
const broken = `${text}short\n`

describe('ndjsonSink', () => {
  test('one typed object a line', async () => {
    await rows(text).run(ndjsonSink(join(folder, 'deep/out.ndjson')))
    const lines = (await readFile(join(folder, 'deep/out.ndjson'), 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual([
      { itemId: 'v1|1|0', price: '-9.90', seen: '2026-03-01T12:00:00.000Z', tags: ['a', 'b'], extra: '=1+1' },
      { itemId: 'v1|2|0', price: null, seen: null, tags: [], extra: 'a\nb, "c"' },
    ])
  })

  test('many rows, in order, with backpressure on the file', async () => {
    const path = join(folder, 'many.ndjson')
    await pipeline(Array.from({ length: 5000 }, (_, n) => [{ n, text: 'x'.repeat(200) }])).run(ndjsonSink(path))
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).n)).toEqual(Array.from({ length: 5000 }, (_, n) => n))
  })

  test('lines longer than the buffer, with characters of every length', async () => {
    const path = join(folder, 'long.ndjson')
    const texts = ['é漢😀'.repeat(100_000), 'a', '😀'.repeat(70_001), '\ud800 lone']
    await pipeline([texts]).run(ndjsonSink(path))
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line) as string).every((text, n) => text === texts[n])).toBe(true)
  })

  test('a failure leaves an earlier file as it was, and nothing half written', async () => {
    const path = join(folder, 'out.ndjson')
    await writeFile(path, 'before')
    await expect(rows(broken).run(ndjsonSink(path))).rejects.toMatchObject({ code: 'TSV_ROW_SHORT' })
    expect(await readFile(path, 'utf8')).toBe('before')
    expect(await readdir(folder)).toEqual(['out.ndjson'])
  })

  test('what JSON has no form for is null', async () => {
    const path = join(folder, 'none.ndjson')
    await pipeline([[1, 2]])
      .map(n => (n === 1 ? undefined : n))
      .run(ndjsonSink(path))
    expect(await readFile(path, 'utf8')).toBe('null\n2\n')
  })

  test('a second run into the same sink at the same time is refused: nothing mixed is committed', async () => {
    const path = join(folder, 'both.ndjson')
    const sink = ndjsonSink(path)
    async function* slowly(letter: string) {
      for (let n = 0; n < 3; n++) {
        await new Promise(setImmediate)
        yield letter
      }
    }
    const runs = await Promise.allSettled([pipeline(slowly('a')).run(sink), pipeline(slowly('b')).run(sink)])
    expect(runs[0]!.status).toBe('fulfilled')
    expect(runs[1]).toMatchObject({ status: 'rejected', reason: { code: 'SINK_FAILED' } })
    expect(await readFile(path, 'utf8')).toBe('"a"\n'.repeat(3))
    expect(await readdir(folder)).toEqual(['both.ndjson'])
    await pipeline(['c']).run(sink)
    await pipeline(['d']).run(sink)
    expect(await readFile(path, 'utf8')).toBe('"d"\n')
  })

  test('a path that is none is refused at the call', () => {
    for (const path of ['', undefined]) {
      expect(() => ndjsonSink(path as string)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
    }
  })

  test('an unwritable place is a typed error', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(rows(text).run(ndjsonSink(join(folder, 'file', 'out')))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      context: { sink: 'ndjson' },
    })
  })
})

describe('csvSink', () => {
  const read = async (path: string) => parse(await readFile(path, 'utf8'), { columns: true }) as unknown as Record<string, string>[]

  test('header, quoting, lists as JSON, exact decimals; formulas are neutralised, numbers are not', async () => {
    await rows(text).run(csvSink(join(folder, 'out.csv')))
    expect(await read(join(folder, 'out.csv'))).toEqual([
      { itemId: 'v1|1|0', price: '-9.90', seen: '2026-03-01T12:00:00.000Z', tags: '["a","b"]', extra: "'=1+1" },
      { itemId: 'v1|2|0', price: '', seen: '', tags: '[]', extra: 'a\nb, "c"' },
    ])
  })

  test('fault 88: a cell that begins with =, +, -, @ is neutralised by option', async () => {
    const cells = ['=1', '+a', '-a', '@a', '-1.50', '+2', 'a=1']
    const on = join(folder, 'on.csv')
    const off = join(folder, 'off.csv')
    const objects = cells.map(cell => ({ cell }))
    await pipeline([objects]).run(csvSink(on))
    await pipeline([objects]).run(csvSink(off, { neutralizeFormulas: false }))
    expect((await read(on)).map(row => row.cell)).toEqual(["'=1", "'+a", "'-a", "'@a", '-1.50', '+2', 'a=1'])
    expect((await read(off)).map(row => row.cell)).toEqual(cells)
  })

  test('an empty cell of a lone column is no blank line, which readers skip', async () => {
    const path = join(folder, 'lone.csv')
    await pipeline([{ a: '' }, { a: 'x' }]).run(csvSink(path))
    expect(parse(await readFile(path, 'utf8'), { skip_empty_lines: true })).toEqual([['a'], [''], ['x']])
  })

  test('chosen columns in their order; a header also when there are no rows', async () => {
    await rows(text).run(csvSink(join(folder, 'some.csv'), { columns: ['extra', 'itemId'], delimiter: ';' }))
    expect((await readFile(join(folder, 'some.csv'), 'utf8')).split('\r\n')[0]).toBe('extra;itemId')
    await rows('itemId\n').run(csvSink(join(folder, 'none.csv'), { columns: ['itemId'] }))
    expect(await readFile(join(folder, 'none.csv'), 'utf8')).toBe('itemId\r\n')
    expect(() => csvSink('x', { delimiter: '"' })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  })
})

test('an empty cell is the same, quoted or not', async () => {
  const files = async (cell: string) => {
    const source = () => pipeline([Buffer.from(`a\tb\n${cell}\tx\n`)]).to(new TsvRowParser())
    await source().run(ndjsonSink(join(folder, 'empty.ndjson')))
    await source().run(csvSink(join(folder, 'empty.csv')))
    return [await readFile(join(folder, 'empty.ndjson'), 'utf8'), await readFile(join(folder, 'empty.csv'), 'utf8')]
  }
  expect(await files('""')).toEqual(await files(''))
  expect(await files('""')).toEqual(['{"a":null,"b":"x"}\n', 'a,b\r\n,x\r\n'])
})
