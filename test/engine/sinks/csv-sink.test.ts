import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { concat, pipeline } from '../../../src/engine/pipeline/pipeline'
import {
  cell,
  date,
  decimal,
  float64,
  int64,
  json,
  list,
  oneOf,
  text as textColumn,
  timestamp,
} from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { SEARCHED_ROWS } from '../../../src/engine/sinks/csv-columns'
import { type CsvSinkOptions, csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-csv-'))
  path = join(folder, 'out.csv')
})
afterEach(() => rm(folder, { recursive: true }))

const schema = defineSchema({
  name: 'item',
  columns: {
    itemId: textColumn({ required: true }),
    price: decimal(),
    seen: timestamp(),
    tags: list(','),
  },
})
const rows = (text: string) => pipeline([Buffer.from(text)]).to(new TsvRowParser({ schema }))
const text =
  'itemId\tprice\tseen\ttags\textra\nv1|1|0\t-9.90\t2026-03-01T12:00:00.000Z\ta,b\t=1+1\nv1|2|0\t\t\t\t"a\nb, \\"c\\""\n'
const written = () => readFile(path, 'utf8')
const read = async () =>
  parse(await written(), { columns: true }) as unknown as Record<string, string>[]

test('the file has a header, quotes, lists as JSON and exact decimals, and formulas are neutralised but numbers are not', async () => {
  await rows(text).run(csvSink(path))
  expect(await read()).toEqual([
    {
      itemId: 'v1|1|0',
      price: '-9.90',
      seen: '2026-03-01T12:00:00.000Z',
      tags: '["a","b"]',
      extra: "'=1+1",
    },
    { itemId: 'v1|2|0', price: '', seen: '', tags: '[]', extra: 'a\nb, "c"' },
  ])
})

describe('formulas', () => {
  const cellsAs = async (cells: readonly unknown[], options?: CsvSinkOptions) => {
    await pipeline([cells.map(cell => ({ cell }))]).run(csvSink<unknown>(path, options))
    return (await read()).map(row => row.cell)
  }

  test('fault 88: an option neutralises a cell that begins with =, +, -, @', async () => {
    const cells = ['=1', '+a', '-a', '@a', '-1.50', '+2', 'a=1']
    expect(await cellsAs(cells)).toEqual(["'=1", "'+a", "'-a", "'@a", '-1.50', '+2', 'a=1'])
    expect(await cellsAs(cells, { neutralizeFormulas: false })).toEqual(cells)
  })

  test('fault 88: formulas are found in full width, behind blanks and invisible characters, and behind a control character', async () => {
    const cells = [
      '＝1',
      '＋a',
      '－a',
      '＠a',
      ' =1',
      '\u00a0\u200b\ufeff=1',
      '\0=1',
      '\n=1',
      '\r=1',
      '\t=1',
      '\0a',
      '\na',
      '\x1ba',
      ' -1.50',
    ]
    expect(await cellsAs(cells)).toEqual(cells.map(cell => `'${cell}`))
    const harmless = [' a', 'a＝', '1=1', "'=1", '\u00a0', ' ', '"=1"']
    expect(await cellsAs(harmless)).toEqual(harmless)
  })

  test('fault 88: every cell that a spreadsheet would run begins with an apostrophe, and no other cell changes', async () => {
    const unit = fc.constantFrom(...'=+-@＝＋－＠ \t\r\n\0\x7f\u00a0\u200b\ufeff19.aé漢"\',;')
    const cells = fc.array(
      fc.array(unit, { maxLength: 6 }).map(units => units.join('')),
      { minLength: 1, maxLength: 30 },
    )
    const isNumber = (cell: string) => /^[+-]?\d+(\.\d+)?$/.test(cell)
    const skipped = (cell: string) =>
      [...cell].findIndex(unit => !/[ \t\r\n\0\x7f\u00a0\u200b\ufeff]/.test(unit))
    const isFormula = (cell: string) =>
      '=+-@＝＋－＠'.includes([...cell][skipped(cell)] ?? 'none') && !isNumber(cell)
    await fc.assert(
      fc.asyncProperty(cells, async given => {
        const isRisky = (cell: string) => isFormula(cell) || /^[\t\r\n\0\x7f]/.test(cell)
        expect(await cellsAs(given)).toEqual(given.map(cell => (isRisky(cell) ? `'${cell}` : cell)))
      }),
      { numRuns: 60 },
    )
  })
})

test('an empty cell of a single column gives no blank line, because readers skip blank lines', async () => {
  await pipeline([{ a: '' }, { a: 'x' }]).run(csvSink(path))
  expect(parse(await written(), { skip_empty_lines: true })).toEqual([['a'], [''], ['x']])
})

describe('columns', () => {
  test('chosen columns keep their order, and the header is written also where there are no rows', async () => {
    await rows(text).run(csvSink(path, { columns: ['extra' as string, 'itemId'], delimiter: ';' }))
    expect((await written()).split('\r\n')[0]).toBe('extra;itemId')
    await rows('itemId\n').run(csvSink(path, { columns: ['itemId'] }))
    expect(await written()).toBe('itemId\r\n')
    await pipeline([]).run(csvSink(path))
    expect(await written()).toBe('')
  })

  test('fault 108: the header line of a file without rows is written, and a wrong name is refused', async () => {
    await rows('itemId\textra\n').run(csvSink(path, { columns: ['extra' as string] }))
    expect(await written()).toBe('extra\r\n')
    const plain = () => pipeline([Buffer.from('a\tb\n1\t2\n')]).to(new TsvRowParser())
    await plain()
      .filter(() => false)
      .run(csvSink(path))
    expect(await written()).toBe('a,b\r\n')
    await expect(
      rows('itemId\n').run(csvSink(path, { columns: ['titel' as string] })),
    ).rejects.toMatchObject({ code: 'COLUMN_UNKNOWN', context: { column: 'titel' } })
  })

  test('a column of the schema that the file lacks has empty cells', async () => {
    await rows('itemId\nv1|1|0\n').run(csvSink(path, { columns: ['itemId', 'price', 'tags'] }))
    expect(await written()).toBe('itemId,price,tags\r\nv1|1|0,,[]\r\n')
  })

  test('names are found whatever their case, and stand in the file as the caller spells them', async () => {
    const file = pipeline([Buffer.from('ItemId\tTitle\n1\tLamp\n')]).to(new TsvRowParser())
    await file.run(csvSink(path, { columns: ['title', 'itemId'] }))
    expect(await written()).toBe('title,itemId\r\nLamp,1\r\n')
  })

  test('fault 101: names that neither schema nor file have are a typed error, and nothing is written', async () => {
    await writeFile(path, 'before')
    const stream = new PassThrough()
    for (const target of [path, stream]) {
      await expect(
        rows(text).run(csvSink(target, { columns: ['item' as string, 'titel'] })),
      ).rejects.toMatchObject({
        code: 'COLUMN_UNKNOWN',
        context: { column: 'item', known: ['itemId', 'price', 'seen', 'tags', 'extra'] },
      })
    }
    expect(await written()).toBe('before')
    expect(await readdir(folder)).toEqual(['out.csv'])
    expect(stream.readableLength).toBe(0)
  })

  test('fault 101: a column that the parser left out does not count as empty', async () => {
    const some = pipeline([Buffer.from(text)]).to(new TsvRowParser({ schema, columns: ['itemId'] }))
    await expect(
      some.run(csvSink(path, { columns: ['itemId', 'price' as string] })),
    ).rejects.toMatchObject({
      code: 'COLUMN_UNKNOWN',
      context: { column: 'price', known: expect.arrayContaining(['itemId']) },
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('fault 101: each of several files must have the columns', async () => {
    const both = concat([rows('itemId\textra\nv1|1|0\tx\n'), rows('itemId\nv1|2|0\n')])
    await expect(both.run(csvSink(path, { columns: ['extra' as string] }))).rejects.toMatchObject({
      code: 'COLUMN_UNKNOWN',
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('fault 101: a name that no plain object has is a typed error, at the end of few objects and within the first of many', async () => {
    const stream = new PassThrough()
    for (const count of [1, SEARCHED_ROWS - 1, SEARCHED_ROWS * 3]) {
      let reads = 0
      const objects = Array.from({ length: count }, (_, n) => ({ itemId: String(n), title: 'x' }))
      const run = pipeline(objects)
        .tap(() => reads++)
        .run(csvSink(stream, { columns: ['itemId', 'titel' as string] }))
      await expect(run).rejects.toMatchObject({
        code: 'COLUMN_UNKNOWN',
        message: 'no row has a column titel: did you mean title?',
        context: { column: 'titel', known: ['itemId', 'title'] },
      })
      expect(reads).toBeLessThan(SEARCHED_ROWS + 200)
    }
    expect(stream.readableLength).toBe(0)
  })

  test('a property that some objects lack is an empty cell, also where the first objects lack it', async () => {
    const objects: { a: number; b?: string | undefined }[] = [
      { a: 1 },
      { a: 2, b: 'x' },
      { a: 3, b: undefined },
      { a: 4 },
    ]
    await pipeline(objects).run(csvSink(path, { columns: ['b', 'a'] }))
    expect(await written()).toBe('b,a\r\n,1\r\nx,2\r\n,3\r\n,4\r\n')
    // Inherited properties are no cells.
    const inheriting: object[] = [{ a: 1 }, { a: 2, constructor: 'c' }]
    await pipeline(inheriting).run(csvSink(path, { columns: ['a', 'constructor'] }))
    expect(await written()).toBe('a,constructor\r\n1,\r\n2,c\r\n')
  })

  test('fault 101: a cell without a column is not lost in silence where no columns are chosen', async () => {
    const objects: { a: number; b?: number }[] = [{ a: 1 }, { a: 2 }, { a: 3, b: 4 }]
    await expect(pipeline(objects).run(csvSink(path))).rejects.toMatchObject({
      code: 'COLUMN_UNKNOWN',
      message:
        'row 3 has a column b that the first row does not have: name all columns in the option columns',
      context: { column: 'b', known: ['a'] },
    })
    await pipeline([...objects].reverse()).run(csvSink(path))
    expect(await written()).toBe('a,b\r\n3,4\r\n2,\r\n1,\r\n')
  })
})

describe('values', () => {
  test('a value is text as JSON writes it, objects are JSON, and big numbers are exact', async () => {
    const row = {
      a: new Date(0),
      b: 2n ** 70n,
      c: { d: [1] },
      e: true,
      f: null,
      g: undefined,
      h: new Date(Number.NaN),
    }
    await pipeline([row]).run(csvSink(path))
    expect(await written()).toBe(
      'a,b,c,e,f,g,h\r\n1970-01-01T00:00:00.000Z,1180591620717411303424,"{""d"":[1]}",true,,,\r\n',
    )
  })

  test('every kind of column has its text', async () => {
    const own = defineSchema({
      name: 'own',
      columns: {
        id: int64(),
        ids: list('|', int64()),
        weight: float64(),
        day: date(),
        extra: json(),
        colour: oneOf('red'),
        own: cell(text => ({ text })),
      },
    })
    const file =
      'id\tids\tweight\tday\textra\tcolour\town\n9007199254740993\t1|2\t1e-7\t2024-02-29\t[1]\tred\ta\n'
    await pipeline([Buffer.from(file)])
      .to(new TsvRowParser({ schema: own }))
      .run(csvSink(path))
    expect(await written()).toBe(
      'id,ids,weight,day,extra,colour,own\r\n9007199254740993,"[""1"",""2""]",1e-7,2024-02-29,[1],red,"{""text"":""a""}"\r\n',
    )
  })

  test.each([
    ['bytes', new Uint8Array(2), 'Uint8Array'],
    ['a promise', Promise.resolve(), 'Promise'],
    ['a map', new Map([[1, 2]]), 'Map'],
    ['a function', () => 1, 'function'],
    ['a symbol', Symbol('s'), 'symbol'],
  ])('a cell that is %s is a typed error with the row and the column', async (_, value, kind) => {
    await expect(
      pipeline([{ a: 1 as unknown }, { a: value }]).run(csvSink(path)),
    ).rejects.toMatchObject({
      code: 'SINK_VALUE_INVALID',
      message: expect.stringMatching(new RegExp(`^row 2 cannot be written: the cell a.*${kind}`)),
      context: { sink: 'csv', row: 2, reason: expect.stringContaining(kind) },
    })
    expect(await readdir(folder)).toEqual([])
  })

  test.each([
    ['text', 'abc'],
    ['bytes', new Uint8Array(2)],
    ['a number', 1],
    ['null', null],
    ['undefined', undefined],
    ['a list', [1, 2]],
    ['a promise', Promise.resolve({ a: 1 })],
  ])('%s in place of a row is a typed error', async (_, value) => {
    await expect(pipeline([[value]]).run(csvSink<unknown>(path))).rejects.toMatchObject({
      code: 'SINK_VALUE_INVALID',
      context: { sink: 'csv', row: 1 },
    })
    expect(await readdir(folder)).toEqual([])
  })
})

test.each([
  ['columns', { columns: [] }],
  ['columns', { columns: 'itemId' }],
  ['columns', { columns: [1] }],
  ['columns', { columns: ['a', 'a'] }],
  ['columns', { columns: null }],
  ['delimiter', { delimiter: '' }],
  ['delimiter', { delimiter: '"' }],
  ['delimiter', { delimiter: 7 }],
  ['neutralizeFormulas', { neutralizeFormulas: 'no' }],
  ['colums', { colums: ['a'] }],
  ['options', null],
  ['options', []],
])('fault 102: a wrong option is refused at the call, by its name %s: %j', (option, options) => {
  expect(() => csvSink<unknown>(path, options as CsvSinkOptions)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})

test('an empty cell is the same, quoted or not, in CSV and NDJSON', async () => {
  const files = async (cell: string) => {
    const source = () => pipeline([Buffer.from(`a\tb\n${cell}\tx\n`)]).to(new TsvRowParser())
    await source().run(csvSink(path))
    await source().run(ndjsonSink(`${path}.ndjson`))
    return [await written(), await readFile(`${path}.ndjson`, 'utf8')]
  }
  expect(await files('""')).toEqual(await files(''))
  expect(await files('""')).toEqual(['a,b\r\n,x\r\n', '{"a":null,"b":"x"}\n'])
})
