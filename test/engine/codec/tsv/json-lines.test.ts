// Lines of JSON: their rows have the values that JSON.parse finds, however the file is cut, with the
// digits of the file; and whatever is no row is a bad row with its place.

import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mendedRows } from '../../../../src/engine/codec/quarantine/mended-rows'
import {
  QuarantineReader,
  recordLine,
  rowLine,
} from '../../../../src/engine/codec/quarantine/quarantine-records'
import { type Dialect, rulesOf } from '../../../../src/engine/codec/tsv/dialect'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import type { Columns } from '../../../../src/engine/schema/feed-schema'
import {
  boolean,
  decimal,
  defineSchema,
  int32,
  int64,
  json,
  list,
  ndjsonSink,
  pipeline,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
  text,
} from '../../../../src/index'
import { ARCHIVES, PAGES } from '../../../foreign-bodies'
import { anyColumns, batchesIn, everyByte, readAll, richCell } from '../../../tsv-text'

const dialect: Dialect = { quoting: 'json-lines' }
const refusing = (reason: string | RegExp, code = 'TSV_HEADER_INVALID') =>
  expect.objectContaining({ code, message: expect.stringMatching(reason) })

/** A value as JSON, and its cell; a nested value has the one of its JSON. */
interface Written {
  readonly json: string
  readonly cell: string
}

const whole = fc.string({ unit: 'binary', maxLength: 8 })
/** JSON.stringify has no escape where none is needed. */
const stringJson = (string: string, escapes: boolean) =>
  escapes
    ? `"${Array.from({ length: string.length }, (_, at) => `\\u${string.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(string)
const strings = fc
  .tuple(
    fc.oneof(whole, richCell, fc.constantFrom('"', '"a"', '\r', 'a\r', '\\t', '[1]')),
    fc.boolean(),
  )
  .map(([cell, escapes]): Written => ({ json: stringJson(cell, escapes), cell }))
const numbers = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => JSON.stringify(value)),
    fc.constantFrom(
      '9223372036854775807',
      '-0',
      '1.50',
      '1E5',
      '1e-400',
      '0.1000',
      '12345678901234567890',
    ),
  )
  .map((cell): Written => ({ json: cell, cell }))
const nested = fc
  .oneof(
    fc.array(fc.jsonValue(), { maxLength: 3 }),
    fc.dictionary(whole, fc.jsonValue(), { maxKeys: 3 }),
  )
  .map(value => JSON.stringify(value))
  .map((cell): Written => ({ json: cell, cell }))
const values = fc.oneof(
  strings,
  numbers,
  nested,
  fc.constantFrom<Written>({ json: 'true', cell: 'true' }, { json: 'false', cell: 'false' }),
  fc.constant<Written>({ json: 'null', cell: '' }),
)

const names = fc.oneof(
  fc.constantFrom('a', 'b', 'A', ' a', '', '__proto__', 'length', 'a"b', 'tab\t', 'é', '{'),
  whole,
)
const space = fc.constantFrom('', '', ' ', '\t', ' \r')
type ObjectLine = { readonly line: string; readonly cells: ReadonlyMap<string, string> }
const objects: fc.Arbitrary<ObjectLine> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(names, fc.boolean(), values), {
      selector: ([name]) => name,
      maxLength: 6,
    }),
    space,
  )
  .map(([members, gap]) => ({
    line: `${gap}{${gap}${members
      .map(([name, escapes, { json: value }]) => [stringJson(name, escapes), ':', value].join(gap))
      .join(`${gap},${gap}`)}${gap}}${gap}`,
    cells: new Map(members.map(([name, , { cell }]) => [name, cell])),
  }))

const files = fc
  .record({
    lines: fc.array(fc.oneof({ weight: 6, arbitrary: objects }, fc.constantFrom('', ' ', '\t\r')), {
      maxLength: 8,
    }),
    mark: fc.constantFrom('', '\ufeff'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
  })
  .filter(({ lines }) => lines.some(line => typeof line !== 'string' && line.cells.size > 0))
  .map(({ lines, mark, lineEnd, isEnded }) => {
    const found = lines.filter(line => typeof line !== 'string')
    const all = lines.map(line => (typeof line === 'string' ? line : line.line))
    return {
      objects: found,
      names: [...new Set(found.flatMap(({ cells }) => [...cells.keys()]))],
      file: Buffer.from(mark + all.join(lineEnd) + (isEnded ? lineEnd : '')),
    }
  })

test('fault 190: the rows have the values that JSON.parse finds, at every cut', () => {
  fc.assert(
    fc.property(
      files,
      fc.constantFrom(64, 1 << 16),
      fc.infiniteStream(fc.nat(800)),
      ({ objects: found, names: columns, file }, batchBytes, cuts) => {
        const expected = found.map(({ cells }) => columns.map(name => cells.get(name) ?? ''))
        const places = [...cuts.take(6)].map(cut => cut % (file.length + 1)).sort((a, b) => a - b)
        for (const all of [[], places, everyByte(file.length)])
          expect(readAll(file, { dialect, batchBytes }, all)).toEqual({ rows: expected, bad: [] })
        // The independent reader.
        found.forEach(({ line }, at) => {
          const object = JSON.parse(line) as Record<string, unknown>
          columns.forEach((name, n) => {
            const value = Object.hasOwn(object, name) ? object[name] : null
            const cell = expected[at]![n]!
            if (typeof value === 'string') expect(cell).toBe(value)
            else if (value === null) expect(cell).toBe('')
            else expect(JSON.parse(cell)).toEqual(value)
          })
        })
      },
    ),
    { numRuns: 150 },
  )
})

const RECORD = {
  name: 'kinds',
  columns: {
    sku: text(),
    stock: int32(),
    serial: int64(),
    price: decimal(),
    isNew: boolean(),
    tags: list('|'),
    sizes: list(',', int32()),
    more: json(),
  },
} as const
const kinds = defineSchema(RECORD)
/** Lists drop empty values, and blanks around values. */
const tag = fc.stringMatching(/^[^\s|][^|]*$/).filter(one => one.trim() === one)
const typedRows = fc.array(
  fc.record({
    sku: fc.option(fc.oneof(richCell, whole).filter(one => one !== '')),
    stock: fc.option(fc.integer()),
    serial: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    price: fc.option(fc.constantFrom('1.5', '0.001', '-12345678901234567890.125')),
    isNew: fc.option(fc.boolean()),
    tags: fc.array(tag, { maxLength: 3 }),
    sizes: fc.array(fc.integer(), { maxLength: 3 }),
    more: fc.option(fc.dictionary(whole, fc.jsonValue(), { maxKeys: 2 })),
  }),
  { minLength: 1, maxLength: 6 },
)

async function ndjsonOf(parser: TsvRowParser<Columns> | TsvColumnParser<Columns>, file: Buffer) {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', chunk => chunks.push(chunk))
  await pipeline([file])
    .to(parser as TsvRowParser<Columns>)
    .run(ndjsonSink(stream))
  return Buffer.concat(chunks).toString()
}

test('what ndjsonSink writes is read back, and every road gives the same', async () => {
  await fc.assert(
    fc.asyncProperty(typedRows, async rows => {
      const options = { schema: kinds, dialect } as const
      const file = rows.map(row => `${JSON.stringify(row)}\n`).join('')
      const first = await ndjsonOf(new TsvRowParser(options), Buffer.from(file))
      const lines = first.trimEnd().split('\n')
      expect(lines.map(line => JSON.parse(line))).toEqual(
        rows.map(row => ({ ...row, price: row.price })),
      )
      expect(await ndjsonOf(new TsvRowParser(options), Buffer.from(first))).toBe(first)
      expect(await ndjsonOf(new TsvColumnParser(options), Buffer.from(first))).toBe(first)
      const objectsOf = await pipeline([Buffer.from(file)])
        .to(new TsvObjectParser(options))
        .toArray()
      expect(
        objectsOf.map(({ sku, stock, isNew, tags, sizes }) => [sku, stock, isNew, tags, sizes]),
      ).toEqual(rows.map(({ sku, stock, isNew, tags, sizes }) => [sku, stock, isNew, tags, sizes]))
      expect(objectsOf.map(({ serial }) => serial?.toString() ?? null)).toEqual(
        rows.map(({ serial }) => serial),
      )
      expect(objectsOf.map(({ price }) => price?.toString() ?? null)).toEqual(
        rows.map(({ price }) => price),
      )
    }),
    { numRuns: 50 },
  )
})

const LONG = `{"a":"${'x'.repeat(200)}"}`
const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
const BAD: readonly [what: string, line: string, reason: string | RegExp, column?: string][] = [
  ['text', 'a,b', 'no JSON'],
  ['half of an object', '{"a":1', /^no JSON/],
  ['two objects', '{"a":1}{"a":2}', 'no JSON from character 8 on'],
  ['a comma at the end', '{"a":1,}', 'no JSON from character 8 on'],
  ['NaN', '{"a":NaN}', 'no JSON'],
  ['a control character', '{"a":"\x01"}', 'no JSON from character 7 on'],
  ['an array', '["a"]', 'no object of JSON'],
  ['a number', '1', 'no object of JSON'],
  ['null', ' null ', 'no object of JSON'],
  ['a name twice', '{"a":1,"b":2,"\\u0061":1}', '"a" twice in an object', 'a'],
  ['another name', '{"a":1,"c\\n":2}', /^"c\\n" is no column: name it in/, 'c\n'],
  ['half of a pair', '{"a":"x\\ud800"}', '"a" has one half of a surrogate pair', 'a'],
  ['half of a pair in a name', '{"\\udc00":1}', 'a name with half of a surrogate pair'],
  ['too many levels', deep(513), 'more than 512 levels of objects and lists'],
  ['a separator', '{"tags":["x|y"]}', 'values of "tags" cannot stand between separators', 'tags'],
  ['a blank', '{"tags":["x "]}', 'values of "tags" cannot stand between separators', 'tags'],
  ['an empty value', '{"tags":["x",null]}', /cannot stand between/, 'tags'],
]
const named: Dialect = { ...dialect, header: ['a', 'b', 'tags'] }
const tagged = defineSchema({ name: 'tagged', columns: { a: text(), b: text(), tags: list('|') } })

test.each(BAD)(
  'a line that is bad for %s is a bad row with its place',
  (_, line, reason, column) => {
    const good = '{"a":1,"b":"é"}\r\n\n'
    const file = `${good}${line}\n{"b":2,"tags":["t",1]}\n${line}`
    for (const cuts of [[], everyByte(Buffer.byteLength(file))]) {
      const { rows, bad } = readAll(file, { dialect: named, schema: tagged, batchBytes: 64 }, cuts)
      expect(rows).toEqual([
        ['1', 'é', ''],
        ['', '2', 't|1'],
      ])
      expect(bad.map(({ code, position }) => [code, position.row, position.line])).toEqual([
        ['TSV_JSON_INVALID', 3, 3],
        ['TSV_JSON_INVALID', 5, 5],
      ])
      const [first, last] = bad
      expect(first!.position.byteOffset).toBe(Buffer.byteLength(good))
      expect([first!, last!].map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
        `${line}\n`,
        line,
      ])
      const { message, context } = first!.error
      expect(message).toBe(
        `row 3, line 3, byte ${Buffer.byteLength(good)}: ${(context as { reason: string }).reason}`,
      )
      expect(context).toMatchObject({
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
        ...(column !== undefined && { column }),
      })
    }
    for (const onBadRow of ['skip', 'throw'] as const) {
      const parser = new TsvParser({ dialect: named, schema: tagged, onBadRow })
      const read = () =>
        [...parser.push(Buffer.from(file)), ...parser.end()].flatMap(batch =>
          [...batch].map(row => row.position.line),
        )
      if (onBadRow === 'throw') expect(read).toThrow(refusing(/row 3, line 3/, 'TSV_JSON_INVALID'))
      else expect([read(), parser.badRows]).toEqual([[1, 4], 2])
    }
  },
)

test('levels up to the most are read', () => {
  expect(readAll(`{"a":1}\n${deep(512)}\n`, { dialect }).rows[1]).toEqual([deep(512).slice(5, -1)])
})

test('a line that is longer than maxRowBytes, and bytes that are not UTF-8, as in a table', () => {
  const file = Buffer.concat([
    Buffer.from(`{"a":1}\n${LONG}\n{"a":"`),
    Buffer.of(0xe9),
    Buffer.from('"}\n{"a":2}\n'),
  ])
  for (const cuts of [[], everyByte(file.length)]) {
    const { rows, bad } = readAll(file, { dialect, maxRowBytes: 100 }, cuts)
    expect(rows).toEqual([['1'], ['2']])
    expect(bad.map(({ code, position }) => [code, position.line])).toEqual([
      ['TSV_ROW_TOO_LARGE', 2],
      ['TSV_UTF8_INVALID', 3],
    ])
    const replaced = readAll(file, { dialect, invalidUtf8: 'replace' }, cuts)
    expect(replaced).toEqual({ rows: [['1'], ['x'.repeat(200)], ['\ufffd'], ['2']], bad: [] })
  }
})

test('the columns: names of the first thousand lines, of the schema, of the header', () => {
  const many = '{"a":1}\n'.repeat(999)
  const columnsOf = (file: string, options: Partial<TsvParserOptions<Columns>> = {}) => {
    const parser = new TsvParser<Columns>({ schema: anyColumns, dialect, ...options })
    const batches = [...parser.push(Buffer.from(file)), ...parser.end()]
    const last = batches.at(-1)!
    return [parser.columnNames, last.row(last.length - 1).toStrings()]
  }
  expect(columnsOf(`${many}{"b":2}\n`)).toEqual([['a', 'b'], { a: '', b: '2' }])
  expect(() => columnsOf(`${many}{"a":1}\n{"b":2}\n`)).toThrow(
    refusing(/^row 1001, line 1001, byte 8000: "b" is no column/, 'TSV_JSON_INVALID'),
  )
  const schema = defineSchema({
    name: 'own',
    columns: { id: text({ aliases: ['a'] }), b: text(), c: text({ required: true }) },
  })
  expect(columnsOf(`{"c":1}\n${many}{"b":2}\n`, { schema })).toEqual([
    ['c', 'a', 'b'],
    { id: '', b: '2', c: '' },
  ])
  expect(() => columnsOf('{"b":2}\n', { schema })).toThrow(
    refusing(/column c/, 'TSV_COLUMN_MISSING'),
  )
  expect(() => columnsOf('{"d":2}\n', { schema })).toThrow(
    refusing(/none of its names is in the schema \(own\)/),
  )
  const header = { ...dialect, header: ['b', 'a'] }
  expect(columnsOf(many, { dialect: header })).toEqual([['b', 'a'], { b: '', a: '1' }])
  expect(columnsOf(`${many}{"a":1}\n{"b":2,"x":{}}\n`, { columns: ['a'] })).toEqual([
    ['a'],
    { a: '' },
  ])
  const wide = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, n])))
  expect(readAll(wide(4096), { dialect }).rows[0]!.slice(-2)).toEqual(['4094', '4095'])
  expect(() => readAll(wide(4097), { dialect })).toThrow(refusing('more than 4096 names'))
})

test.each<[what: string, file: string, reason: RegExp, options?: object]>([
  ['an array', ' \n [{"a":1}]', /one array: .* jq -c '\.\[\]'/],
  ['an array, with names', '[{"a":1}]', /one array/, { dialect: { ...dialect, header: ['a'] } }],
  ['a table', 'a,b\n1,2\n', /as lines of JSON: no JSON/],
  ['an object over lines', '{\n  "a": 1\n}\n', /as lines of JSON: no JSON/],
  ['empty objects', '{}\n{}\n', /no object has a member/],
  ['a long first line', LONG, /more than the 64 bytes of maxRowBytes/, { maxRowBytes: 64 }],
])('a file of %s is refused', (_, file, reason, options) => {
  for (const cuts of [[], everyByte(Buffer.byteLength(file))])
    expect(() => readAll(file, { dialect, ...options }, cuts)).toThrow(refusing(reason))
})

test('pages and archives are refused as in place of a table, and an empty file too', () => {
  for (const { bytes, name, what } of [...ARCHIVES, ...PAGES]) {
    if (what.test('it is JSON')) continue
    expect(() => readAll(bytes, { dialect }), name).toThrow(refusing(what))
  }
  expect(() => readAll('', { dialect })).toThrow(refusing('no object', 'TSV_EMPTY'))
  expect(readAll('', { dialect: { ...dialect, header: ['a'] } }).rows).toEqual([])
})

test('JSON is no table unless lines of objects are asked for, or may be found', () => {
  const file = '\ufeff\n{"a":1}\n{"a":2}\n'
  expect(() => readAll(file)).toThrow(refusing(/JSON and no table.*quoting: 'json-lines'/))
  const content = 'table-or-json-lines'
  for (const cuts of [[], everyByte(Buffer.byteLength(file))])
    expect(readAll(file, { content }, cuts)).toEqual({ rows: [['1'], ['2']], bad: [] })
  expect(readAll('a\tb\n1\t2\n', { content }).rows).toEqual([['1', '2']])
  for (const one of [
    '{"error":"quota"}',
    '{"error":"quota"}\n',
    '{"a":\n1}\n{"a":2}\n',
    '{"a":1}\n[2]\n',
  ])
    expect(() => readAll(one, { content }), one).toThrow(refusing(/JSON and no table/))
  for (const asked of [{ delimiter: ',' }, { quoting: 'none' }, { trim: true }] as const)
    expect(() => readAll(file, { content, dialect: asked })).toThrow(refusing(/JSON and no table/))
  const names = { header: ['a'], nulls: ['1'] }
  expect(readAll(file, { content, dialect: names }).rows).toEqual([[''], ['2']])
})

test('other options of the dialect', () => {
  const file = 'title\n#c\n{"a":"NA","b":"é"}\n'
  const options = { comment: '#', skipLines: 1, nulls: ['NA'], encoding: 'utf-16le' }
  const bytes = Buffer.from(file, 'utf16le')
  for (const cuts of [[], everyByte(bytes.length)])
    expect(readAll(bytes, { dialect: { ...dialect, ...options } }, cuts).rows).toEqual([['', 'é']])
  const latin1 = Buffer.from('{"a":"é"}\n', 'latin1')
  expect(readAll(latin1, { dialect: { ...dialect, encoding: 'latin1' } }).rows).toEqual([['é']])
  for (const other of [
    { delimiter: ',' },
    { unitLines: 1 },
    { trim: true },
    { shortRows: 'fill' },
  ] as const)
    expect(() => rulesOf({ ...dialect, ...other }, anyColumns)).toThrow(
      refusing(/must be left out beside quoting: 'json-lines'/, 'OPTION_INVALID'),
    )
})

test('rows of a quarantine are read again as lines of JSON', () => {
  const schema = defineSchema({ name: 'own', columns: { a: text(), b: int32() } })
  let records = ''
  const parser = new TsvParser({
    schema,
    dialect: { ...dialect, nulls: ['NA'] },
    onBadRow: {
      take(row) {
        if (records === '') records = recordLine(row.of)
        records += rowLine(row)
      },
      settle: () => undefined,
      flush: () => undefined,
    },
  })
  const file = '{"a":1,"b":1}\n{"b":2,"a":"x\\ty","b":3}\n'
  const lines = [...parser.push(Buffer.from(file)), ...parser.end()]
  expect(lines.flatMap(batch => batch.length)).toEqual([1])
  const reader = new QuarantineReader('q')
  const mended = records.replace(String.raw`,\"b\":3`, String.raw`}\n{\"a\":\"NA\",\"b\":7`)
  const rows = [...reader.push(Buffer.from(mended)), ...reader.end()].flatMap(row =>
    [...mendedRows(row, { schema })].flatMap(batch =>
      [...batch].map(one => [one.position.line, one.toObject()]),
    ),
  )
  expect(rows).toEqual([
    [2, { a: 'x\ty', b: 2 }],
    [3, { a: null, b: 7 }],
  ])
})

test('a large file in one piece has the rows and the places of its lines', () => {
  const lines = Array.from(
    { length: 9000 },
    (_, n) => `{"n":${n},"t":"${'é"'.replace('"', '\\"').repeat(n % 40)}"}\n`,
  )
  const file = lines.join('')
  let [at, row] = [0, 0]
  for (const batch of batchesIn(file, { schema: anyColumns, dialect }))
    for (const one of batch) {
      expect([one.text('n' as never), one.position]).toEqual([
        String(row),
        { row: row + 1, line: row + 1, byteOffset: at },
      ])
      at += Buffer.byteLength(lines[row++]!)
    }
  expect(row).toBe(lines.length)
})
