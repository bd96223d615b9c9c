// The parser that keeps some columns against the parser that keeps all: the same rows at the same
// places, the same bad rows, the same end.

import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import { int32, text } from '../../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import { anyColumns, richCell, tsv } from '../../../tsv-text'

type Options = Partial<TsvParserOptions<Columns>>

/** What reading the text comes to, as far as these columns show it. */
function reading(text: Uint8Array, names: readonly string[], options: Options) {
  const parser = new TsvParser<Columns>({ schema: anyColumns, batchBytes: 64, ...options })
  const rows: unknown[] = []
  const sizes: number[] = []
  let failure: unknown
  try {
    for (const batches of [parser.push(text), parser.end()]) {
      for (const batch of batches) {
        sizes.push(batch.length)
        for (const row of batch)
          rows.push({
            ...row.position,
            texts: names.map(name => row.text(name)),
            values: row.toObject(names),
          })
      }
    }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    failure = { code: error.code, context: error.context }
  }
  return { rows, sizes, failure, badRows: parser.badRows, replacedRows: parser.replacedRows }
}

function expectSame(text: Uint8Array, names: readonly string[], options: Options = {}) {
  const { sizes: _all, ...expected } = reading(text, names, options)
  const { sizes, ...found } = reading(text, names, { ...options, columns: names })
  expect(found).toEqual(expected)
  return { ...found, sizes }
}

/** All batches of a text. */
function batchesOf<C extends Columns>(parser: TsvParser<C>, text: string): RowBatch<C>[] {
  return [...parser.push(Buffer.from(text)), ...parser.end()]
}

const names = fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 })
const policy = fc.constantFrom<Options>(
  { onBadRow: 'skip' },
  { onBadRow: 'throw' },
  { onBadRow: 'skip', invalidUtf8: 'replace' },
  { onBadRow: 'skip', maxRowBytes: 70 },
)

describe('the same as all columns', () => {
  test('of good rows', () => {
    const rows = fc.array(fc.tuple(richCell, richCell, richCell), { maxLength: 30 })
    fc.assert(
      fc.property(rows, names, fc.constantFrom('\n', '\r\n'), (cells, wanted, lineEnd) => {
        expectSame(Buffer.from(tsv([['a', 'b', 'c'], ...cells], lineEnd)), wanted)
      }),
      { numRuns: 150 },
    )
  })

  test('of bad rows among good ones', () => {
    const line = fc.constantFrom(
      '1\t2\t3\n',
      '1\t"q\nq"\té\n',
      'x\n',
      '\t\t\n',
      '\n',
      '1\t2\t\xff\n',
      '\xff\t\t3\n',
      '"a\t\n',
      '"a"b\t\t\n',
      '1\t2\t3\t4\n',
    )
    const text = fc
      .array(line, { maxLength: 40 })
      .map(lines => Buffer.from(`a\tb\tc\n${lines.join('')}`, 'latin1'))
    fc.assert(
      fc.property(text, names, policy, (bytes, wanted, options) => {
        expectSame(bytes, wanted, options)
      }),
      { numRuns: 200 },
    )
  })
})

const many = (count: number) =>
  Buffer.from(
    tsv([
      ['a', 'b', 'c'],
      ...Array.from({ length: count }, (_, n) => [`${n}`, 'x'.repeat(50), 'y']),
    ]),
  )

test('a batch is filled by what is kept, and ends before a bad row that somebody is told of and at the end', () => {
  const { sizes } = expectSame(many(100), ['a'])
  expect(sizes.length).toBeLessThan(10)
  const bad = Buffer.concat([many(5), Buffer.from('short\n'), many(4).subarray(6)])
  expect(expectSame(bad, ['c'], { onBadRow: 'skip' }).sizes).toEqual([9])
  expect(expectSame(bad, ['c'], { onBadRow: () => {} }).sizes).toEqual([5, 4])
})

test('no batch has more than 4,096 rows', () => {
  const { sizes, rows } = expectSame(many(10_000), ['c'], { batchBytes: 1 << 16 })
  expect(rows.length).toBe(10_000)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4096)
  expect(sizes.length).toBeLessThanOrEqual(5)
})

test('a batch has the wanted columns and no others, and holds no other bytes', () => {
  const parser = new TsvParser<Columns>({ schema: anyColumns, columns: ['c', 'a'] })
  const [batch] = batchesOf(parser, 'a\tb\tc\n1\tsecret\t"x\ty"\n2\tsecret\t\n')
  const [first, second] = [...batch!]
  expect(batch!.header.columns.map(({ name }) => name)).toEqual(['c', 'a'])
  expect(first!.toStrings()).toEqual({ c: 'x\ty', a: '1' })
  expect([...second!]).toEqual([
    ['c', null],
    ['a', '2'],
  ])
  expect(() => first!.text('b')).toThrow(expect.objectContaining({ code: 'COLUMN_UNKNOWN' }))
  expect(Buffer.from(batch!.bytesOf().buffer).includes('secret')).toBe(false)
})

test('all columns in the order of the file leave the bytes of the rows as they are', () => {
  const content = 'a\tb\n"1\n"\tx\r\nbad\n2\t\n'
  const [whole, swapped] = [
    ['a', 'b'],
    ['b', 'a'],
  ].map(columns => {
    const parser = new TsvParser<Columns>({ schema: anyColumns, columns, onBadRow: 'skip' })
    return batchesOf(parser, content)[0]!
  })
  expect(Buffer.from(whole!.bytesOf()).toString()).toBe(content.slice(4, -1))
  expect([whole!.isProjected, swapped!.isProjected]).toEqual([true, true])
  const cellsOf = (batch: RowBatch) =>
    [...batch].map(row => [row.text('a'), row.text('b'), row.position])
  expect(cellsOf(whole!)).toEqual(cellsOf(swapped!))
})

test('detached rows, selections and errors keep their places', () => {
  const schema = defineSchema({ name: 'other', columns: { n: int32() } })
  const parser = new TsvParser({ schema, columns: ['n'] })
  const [batch] = batchesOf(parser, 'x\tn\n"two\nlines"\t1\nxx\tbad\nx\t3\n')
  const [, bad, last] = [...batch!]
  expect(last!.detach().position).toEqual({ row: 3, line: 5, byteOffset: 25 })
  expect([...batch!.select(row => row.slot === 2)][0]!.position).toEqual(last!.position)
  expect(last!.detach().toObject()).toEqual({ n: 3 })
  const place = expect.objectContaining({
    row: 2,
    line: 4,
    byteOffset: 18,
    column: 'n',
    excerpt: 'bad',
  })
  expect(() => bad!.toObject()).toThrow(
    expect.objectContaining({ code: 'CELL_INVALID', context: place }),
  )
})

test('rows of which the file has no wanted column are there, and empty', () => {
  const schema = defineSchema({
    name: 'other',
    columns: {
      gone: text(),
      id: text(),
    },
  })
  const parser = new TsvParser({ schema, columns: ['gone'] })
  const rows = batchesOf(parser, 'id\n1\n2\n').flatMap(batch => [...batch])
  expect(rows.map(row => [row.toObject(), row.toStrings(), row.position.line])).toEqual([
    [{ gone: null }, {}, 2],
    [{ gone: null }, {}, 3],
  ])
  expect(rows[1]!.detach().text('gone')).toBe('')
})

test('a column that neither has is COLUMN_UNKNOWN when the header comes', () => {
  const parser = new TsvParser<Columns>({ schema: anyColumns, columns: ['z'] })
  expect(() => batchesOf(parser, 'a\n1\n')).toThrow(
    expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
  )
})

test('what a policy throws comes behind the rows before, and takes none with it', () => {
  const failing: Options = {
    columns: ['c'],
    onBadRow: () => {
      throw new TypeError('told')
    },
  }
  for (const bad of ['short\n', '1\t2\t\xff\n']) {
    const parser = new TsvParser<Columns>({ schema: anyColumns, ...failing })
    const seen: string[] = []
    const read = () => {
      for (const batch of parser.push(
        Buffer.concat([many(500), Buffer.from(bad, 'latin1'), many(500).subarray(6)]),
      ))
        for (const row of batch) seen.push(row.text('c'))
      for (const batch of parser.end()) for (const row of batch) seen.push(row.text('c'))
    }
    expect(read).toThrow(TypeError)
    expect(seen.length).toBe(500)
  }
})

test('a last row that is not UTF-8 and ends in a lone CR is told with it', () => {
  const text = Buffer.from('a\tb\tc\nx\t\t\xff\r', 'latin1')
  expectSame(text, ['a'], { onBadRow: 'throw' })
})

test('large blocks have an end', () => {
  const parser = new TsvParser<Columns>({ schema: anyColumns, columns: ['a'], batchBytes: 2 ** 30 })
  parser.destroy()
})

test('an input that begins in the middle of a file has its rows at the same places, with the wanted columns', () => {
  const lines = ['1\t"q\nq"\té\n', '2\t\t\n', 'short\n', '3\tx\ty\n', '4\tlong\tz\n']
  const texts = Array.from({ length: 8 }, () => lines).flat()
  const header = 'a\tb\tc\n'
  const whole = reading(Buffer.from(header + texts.join('')), ['c'], {
    columns: ['c'],
    onBadRow: 'skip',
  })
  expect(whole.rows).toHaveLength(32)
  for (const [n] of texts.entries()) {
    const before = header + texts.slice(0, n).join('')
    const position = {
      row: n + 1,
      line: before.split('\n').length,
      byteOffset: Buffer.byteLength(before),
    }
    const { rows, badRows } = reading(Buffer.from(texts.slice(n).join('')), ['c'], {
      columns: ['c'],
      onBadRow: 'skip',
      startsAt: { columnNames: ['a', 'b', 'c'], position },
    })
    const isLater = (row: unknown) => (row as { row: number }).row > n
    expect(rows).toEqual(whole.rows.filter(isLater))
    expect(badRows).toBe(texts.slice(n).filter(text => text === 'short\n').length)
  }
})

test('without WebAssembly the rows of a projection are the same', async () => {
  const bytes = many(500)
  const read = (parser: TsvParser<Columns>) =>
    [...parser.push(bytes), ...parser.end()].flatMap(batch =>
      Array.from(batch, row => [row.position, row.toStrings()]),
    )
  const options = { schema: anyColumns, columns: ['c', 'a'], batchBytes: 256 }
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const without = (await import('../../../../src/engine/codec/tsv/parser')).TsvParser
  const rows = read(new without<Columns>(options))
  vi.unstubAllGlobals()
  vi.resetModules()
  expect(rows).toHaveLength(500)
  expect(rows).toEqual(read(new TsvParser<Columns>(options)))
})
