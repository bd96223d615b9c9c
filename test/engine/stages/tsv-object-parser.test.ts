// Compares TsvObjectParser with TsvRowParser and the objects of its rows, however the bytes are
// cut. The laws are tested in laws.test.ts.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { boolean, int32, list } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import type { BadCell } from '../../../src/engine/stages/bad-cell-policy'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import {
  TsvObjectParser,
  type TsvObjectParserOptions,
} from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { richCell, tsv } from '../../tsv-text'

const schema = defineSchema({
  name: 'other',
  columns: {
    n: int32(),
    tags: list(','),
    gone: boolean(),
  },
})
type Options = TsvObjectParserOptions<typeof schema.columns, string, 'typed' | 'text'>

const text = (rows: readonly (readonly string[])[]) =>
  Buffer.from(tsv([['n', 'tags', 'other'], ...rows]))

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
}

const objectsOf = (pieces: Iterable<Uint8Array>, options: Options) =>
  pipeline(pieces)
    .to(new TsvObjectParser({ schema, batchBytes: 64, ...options }))
    .toArray()

async function expectSame(
  bytes: Uint8Array,
  pieceBytes: number,
  columns: readonly string[] | undefined,
) {
  const rows = await pipeline([bytes])
    .to(new TsvRowParser({ schema, ...(columns && { columns }) }))
    .toArray()
  const choice = columns && { columns }
  expect(await objectsOf(cut(bytes, pieceBytes), { ...choice })).toEqual(
    rows.map(row => row.toObject()),
  )
  // A chosen column that the file lacks is present and empty.
  const texts = rows.map(row => (columns ? row.toStrings(columns) : row.toStrings()))
  expect(await objectsOf(cut(bytes, pieceBytes), { values: 'text', ...choice })).toEqual(texts)
  const zipped = pipeline(cut(gzipSync(bytes), pieceBytes)).to(new Gunzip())
  expect(
    await zipped.to(new TsvObjectParser({ schema, values: 'text', ...choice })).toArray(),
  ).toEqual(texts)
}

test('the objects of all rows, typed and as text, cut anywhere, behind Gunzip or not', async () => {
  const row = fc.tuple(
    fc.integer({ min: -1e6, max: 1e6 }).map(String),
    fc.constantFrom('', 'a', 'a,b', 'é,"x"'),
    richCell,
  )
  const columns = fc.constantFrom(undefined, ['n'], ['other', 'n', 'gone'])
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 40 }),
      fc.integer({ min: 1, max: 200 }),
      columns,
      (rows, pieceBytes, wanted) => expectSame(text(rows), pieceBytes, wanted),
    ),
    { numRuns: 60 },
  )
})

test('objects belong to the reader: later blocks do not change them', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => [
    `${n}`,
    n % 3 ? 'é,b' : 'a',
    `text of ${n} ${'x'.repeat(n % 90)}`,
  ])
  const objects = await pipeline(cut(gzipSync(text(rows)), 5000))
    .to(new Gunzip())
    .to(new TsvObjectParser({ schema, values: 'text' }))
    .toArray()
  expect(objects).toEqual(rows.map(([n, tags, other]) => ({ n, tags, other })))
})

test('arrays of two files that are read in turns are those of each file', async () => {
  // The marked cells of both become text in the same memory.
  const file = (word: string) =>
    Array.from({ length: 400 }, (_, n) => [`${n}`, `"${word}"\t${n}`, `${word}\\ ${n}`])
  const files = [file('größer'), file('Ω日本')]
  const read = files.map(rows =>
    pipeline([text(rows)])
      .to(new TsvObjectParser({ values: 'text' }))
      .batches()
      [Symbol.asyncIterator](),
  )
  const found: string[][][] = files.map(() => [])
  for (let open = true; open; ) {
    open = false
    for (const [at, arrays] of read.entries()) {
      const { done, value } = await arrays.next()
      if (done) continue
      open = true
      found[at]!.push(...value.map(Object.values))
    }
  }
  expect(found).toEqual(files)
})

test.each([
  [1, 1024],
  [4, 256],
  [39, 26],
  [1200, 1],
])('an array of %i columns has at most %i objects', async (columns, most) => {
  const names = Array.from({ length: columns }, (_, n) => `c${n}`)
  const rows = Array.from({ length: 3 * most + 1 }, (_, n) => names.map(name => `${name}-${n}`))
  const bytes = Buffer.from(tsv([names, ...rows]))
  for (const values of ['typed', 'text'] as const) {
    const arrays: Record<string, string | null>[][] = []
    for await (const array of pipeline([bytes]).to(new TsvObjectParser({ values })).batches())
      arrays.push(array)
    expect(Math.max(...arrays.map(array => array.length))).toBe(most)
    expect(arrays.flat().map(object => Object.values(object))).toEqual(rows)
  }
})

describe('cells that are not of their type', () => {
  const bytes = text([
    ['1', 'a', ''],
    ['one', 'b', ''],
    ['3', '', 'x'],
  ])

  test('end the stream with the position, by default', async () => {
    const failure = await objectsOf([bytes], {}).catch((error: unknown) => error)
    if (!FeedError.is(failure)) throw failure
    expect(failure).toMatchObject({
      code: 'CELL_INVALID',
      context: { row: 2, line: 3, byteOffset: 18, column: 'n', excerpt: 'one' },
    })
  })

  test('are empty and counted with `null`, and passed to a function', async () => {
    const bad: BadCell[] = []
    for (const onBadCell of ['null', (cell: BadCell) => void bad.push(cell)] as const) {
      const parser = new TsvObjectParser({ schema, onBadCell })
      const objects = await pipeline([bytes]).to(parser).toArray()
      expect(objects.map(({ n, tags, gone }) => [n, tags, gone])).toEqual([
        [1, ['a'], null],
        [null, ['b'], null],
        [3, [], null],
      ])
      expect(parser.badCells).toBe(1)
    }
    expect(bad).toMatchObject([
      { column: 'n', position: { row: 2, line: 3, byteOffset: 18, excerpt: 'one' } },
    ])
  })

  test('are not reported after the callback has ended the run', async () => {
    const rows = Array.from({ length: 100 }, () => ['one', '', ''])
    const abort = new AbortController()
    let calls = 0
    const onBadCell = () => {
      calls++
      abort.abort()
    }
    const run = pipeline([text(rows)], { signal: abort.signal }).to(
      new TsvObjectParser({ schema, onBadCell }),
    )
    await expect(run.toArray()).rejects.toMatchObject({ code: 'ABORTED' })
    expect(calls).toBe(1)
  })

  test('are no failure where values are text', async () => {
    const objects = await objectsOf([bytes], { values: 'text' })
    expect(objects.map(({ n }) => n)).toEqual(['1', 'one', '3'])
  })
})

test('bad rows are those of TsvRowParser', async () => {
  const parser = new TsvObjectParser({ schema, onBadRow: 'skip' })
  const bytes = Buffer.concat([
    text([['1', '', '']]),
    Buffer.from('short\n2\t\t\xff\n3\t\t\n', 'latin1'),
  ])
  const objects = await pipeline([bytes]).to(parser).toArray()
  expect(objects.map(({ n }) => n)).toEqual([1, 3])
  expect(parser.badRows).toBe(2)
})

test('rows in arrays, counted as rows', async () => {
  const parser = new TsvObjectParser()
  const batches: unknown[] = []
  for await (const batch of pipeline([Buffer.from('a\n1\n2\n')])
    .to(parser)
    .batches())
    batches.push(batch)
  expect(batches).toEqual([[{ a: '1' }, { a: '2' }]])
  expect(parser.counters.rowsOut).toBe(2)
})

test.each<[string, unknown]>([
  ['values', 'json'],
  ['onBadCell', 'skip'],
  ['columns', []],
  ['batchBytes', 0],
])('%s: %s is OPTION_INVALID', (option, value) => {
  const context = expect.objectContaining({ option })
  expect(() => new TsvObjectParser({ [option]: value })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', context }),
  )
})
