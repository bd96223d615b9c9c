import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decimal, defineSchema, int32, json, pipeline, timestamp } from '../../src/engine'
import type { Columns, FeedSchema } from '../../src/engine/schema/feed-schema'
import { type DiffOptions, diffRows, type RowDifference } from '../../src/state/row-diff'
import { cutBatches } from '../rows-from-text'
import { anyColumns, batchesIn, cellDialect, tsv, writtenIn } from '../tsv-text'

type Cells = readonly string[]

let folder: string
const tempBefore = process.env.TMPDIR
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-diff-'))
  process.env.TMPDIR = folder
})
afterAll(async () => {
  if (tempBefore === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = tempBefore
  await rm(folder, { recursive: true })
})

const batches = (lines: readonly Cells[], schema: FeedSchema<Columns> = anyColumns) =>
  batchesIn(tsv(lines), { schema })

const plain = ({ kind, key, before, after, cells }: RowDifference) => {
  expect([before === null, after === null]).toEqual([kind === 'inserted', kind === 'deleted'])
  return { kind, key, cells: cells.map(each => [each.column, each.before, each.after]) }
}

async function diffOf(
  before: Parameters<typeof diffRows>[0],
  after: Parameters<typeof diffRows>[1],
  options: DiffOptions = { key: ['k'] },
) {
  const diff = await diffRows(before, after, options)
  const { removedColumns, addedColumns, tally, repeated } = diff
  const found: ReturnType<typeof plain>[] = []
  for await (const block of diff) found.push(...block.map(plain))
  return { found, removedColumns, addedColumns, tally, repeated }
}

describe('the property', () => {
  /** Cells that dialects quote, escape, or write in several bytes. */
  const cell = fc.constantFrom(
    '',
    'x',
    'a b',
    '"q"',
    'é',
    '😀\uffff',
    'two\nlines',
    '\\t',
    '0',
    '00',
  )
  const keyCell = fc.constantFrom('', 'a', 'b', 'ab', '"', 'é', '😀', '\uffff', 'a,b', '["a"]')
  const file = fc
    .record({
      others: fc.uniqueArray(fc.constantFrom('c1', 'c2', 'Ü', '"n"'), { maxLength: 4 }),
      isKeyLast: fc.boolean(),
      dialect: cellDialect.filter(
        ({ quoting, delimiter }) => quoting !== 'none' && delimiter < 'A',
      ),
      rows: fc.array(
        fc.record({
          k1: keyCell,
          k2: keyCell,
          cells: fc.array(cell, { minLength: 4, maxLength: 4 }),
        }),
        { maxLength: 30 },
      ),
      rowsInBatch: fc.integer({ min: 1, max: 30 }),
    })
    .map(({ others, isKeyLast, dialect, rows, rowsInBatch }) => {
      const names = isKeyLast ? [...others, 'k1', 'k2'] : ['k2', 'k1', ...others]
      const objects = rows.map(({ k1, k2, cells }) => ({
        ...Object.fromEntries(others.map((name, n) => [name, cells[n]!])),
        k1,
        k2,
      })) as Record<string, string>[]
      const lines = [names, ...objects.map(row => names.map(name => row[name]!))]
      const delimiter = dialect.delimiter
      const text = lines
        .map(line => line.map(each => writtenIn(dialect, each)).join(delimiter))
        .join('\n')
      const all = batchesIn(`${text}\n`, { schema: anyColumns, dialect })
      return { names, objects, batches: cutBatches(all, rowsInBatch) }
    })

  /** The rows of one side come from files with headers of their own. */
  const side = fc.array(file, { minLength: 1, maxLength: 2 }).map(files => ({
    names: [...new Set(files.flatMap(({ names, objects }) => (objects.length > 0 ? names : [])))],
    objects: files.flatMap(({ objects }) => objects),
    batches: files.flatMap(each => each.batches),
  }))

  /** The last row of each key in a Map, and the number of the rows before it. */
  function modelOf(rows: readonly Record<string, string>[], key: readonly string[]) {
    const last = new Map<string, Record<string, string>>()
    let [repeated, bad] = [0, 0]
    for (const row of rows) {
      const cells = key.map(name => row[name]!)
      if (cells.every(text => text === '')) bad++
      else {
        const name = cells.length === 1 ? cells[0]! : JSON.stringify(cells)
        if (last.has(name)) repeated++
        last.set(name, row)
      }
    }
    return { last, repeated, bad }
  }

  test.each([[['k1']], [['k2', 'k1']]])(
    'with the key %s the differences are those of two maps, in memory and on the disk',
    async key => {
      await fc.assert(
        fc.asyncProperty(
          side,
          side,
          fc.constantFrom(0, 2000, 2 ** 26),
          async (a, b, memoryBytes) => {
            const bad = { before: 0, after: 0 }
            const onBadRow = (_: unknown, where: 'before' | 'after') => void bad[where]++
            const diff = await diffOf(a.batches, b.batches, { key, memoryBytes, onBadRow })
            const [before, after] = [modelOf(a.objects, key), modelOf(b.objects, key)]
            const names = [...new Set([...before.last.keys(), ...after.last.keys()])]
            names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
            const shared = a.names.filter(name => b.names.includes(name))
            const expected = names.flatMap(name => {
              const [one, other] = [before.last.get(name), after.last.get(name)]
              const cellsOfKey = key.map(column => (other ?? one)![column])
              if (!one || !other)
                return [{ kind: one ? 'deleted' : 'inserted', key: cellsOfKey, cells: [] }]
              const cells = shared
                .map(column => [column, one[column] ?? '', other[column] ?? ''])
                .filter(([, was, is]) => was !== is)
              return cells.length === 0 ? [] : [{ kind: 'updated', key: cellsOfKey, cells }]
            })
            const sorted = (found: readonly { cells: unknown[] }[]) =>
              found.map(each => ({ ...each, cells: each.cells.toSorted() }))
            expect(sorted(diff.found)).toEqual(sorted(expected as typeof diff.found))
            expect(diff.repeated).toEqual({ before: before.repeated, after: after.repeated })
            expect(bad).toEqual({ before: before.bad, after: after.bad })
            expect(diff.tally.unchanged).toBe(names.length - expected.length)
            const only = (own: Cells, other: Cells) =>
              other.length > 0 ? own.filter(name => !other.includes(name)) : []
            expect(diff.removedColumns).toEqual(only(a.names, b.names))
            expect(diff.addedColumns).toEqual(only(b.names, a.names))
          },
        ),
      )
      expect(await readdir(folder)).toEqual([])
    },
  )
})

test('more rows than the memory holds are sorted on the disk, which is left empty', async () => {
  const rows = 60_000
  // Each key has several rows, far from one another, in the reverse order of the keys.
  async function* blocks(priceOf: (n: number) => number) {
    for (let from = rows; from > 0; from -= 1000)
      yield* batches([
        ['k', 'price', 'text'],
        ...Array.from({ length: 1000 }, (_, n) => {
          const at = from - n
          return [`${at % 50_000}`, `${priceOf(at)}`, 'some text that takes memory'.repeat(3)]
        }),
      ])
  }
  const before = blocks(n => n)
  const after = blocks(n => (n % 1000 === 7 ? -n : n))
  const diff = await diffRows(before, after, { key: ['k'], memoryBytes: 2 ** 19 })
  expect(await readdir(folder)).toHaveLength(1)
  const changed: string[] = []
  for await (const block of diff)
    for (const { key, cells } of block) changed.push(`${key} ${cells.map(({ column }) => column)}`)
  // Of the keys below 10,001 the row with the smaller number comes last.
  expect(changed).toEqual(Array.from({ length: 50 }, (_, n) => `${n * 1000 + 7} price`).sort())
  expect(diff.tally).toEqual({ inserted: 0, updated: 50, deleted: 0, unchanged: 49_950 })
  expect(diff.repeated).toEqual({ before: 10_000, after: 10_000 })
  expect(await readdir(folder)).toEqual([])
})

test('of rows that all have one key the last counts', async () => {
  const lines = [['k', 'v'], ...Array.from({ length: 5000 }, (_, n) => ['same', `${n}`])]
  const { found, repeated } = await diffOf(batches(lines), batches(lines.slice(0, 2)), {
    key: ['k'],
    memoryBytes: 1000,
  })
  expect(found).toEqual([{ kind: 'updated', key: ['same'], cells: [['v', '4999', '0']] }])
  expect(repeated).toEqual({ before: 4999, after: 0 })
})

test('values of a schema are compared where texts differ, and bad cells by their texts', async () => {
  const schema = defineSchema({
    name: 'own',
    columns: { price: decimal(), stock: int32(), seen: timestamp(), data: json() },
  })
  const of = (...lines: Cells[]) =>
    batches([['k', 'price', 'stock', 'seen', 'data', 'other'], ...lines], schema)
  const { found } = await diffOf(
    of(
      ['a', '12.50', '07', '2026-03-01T12:00:00Z', '{"a":1,"b":2}', '1'],
      ['b', '-0012', '7', '', '', ''],
      ['c', '12345678901234567890.1', 'x', '', '', '1.0'],
      ['d', '12', '', '', '', ''],
      ['e', '0.10', '', '', '', ''],
    ),
    of(
      ['a', '12.5', '7', '2026-03-01T12:00:00.000Z', '{"b":2,"a":1}', '1'],
      ['b', '-12.0', '7', '', '', ''],
      ['c', '12345678901234567890.2', 'y', '', '', '1'],
      ['d', '', '', '', '', ''],
      ['e', '0.1', '', '', '', ''],
    ),
  )
  expect(found.map(({ key: [key], cells }) => [key, cells.map(([name]) => name)])).toEqual([
    ['c', ['price', 'stock', 'other']],
    ['d', ['price']],
  ])
})

test('equal bytes under other names of columns are other cells', async () => {
  const row = ['a', '1', '2']
  const { found } = await diffOf(batches([['k', 'x', 'y'], row]), batches([['k', 'y', 'x'], row]))
  expect(found.map(({ cells }) => cells)).toEqual([
    [
      ['x', '1', '2'],
      ['y', '2', '1'],
    ],
  ])
})

describe('a call that fails', () => {
  test('by a row without a key, names it and leaves nothing', async () => {
    const rows = batches([
      ['k', 'v'],
      ['a', '1'],
      ['', '2'],
    ])
    const call = diffRows(rows, rows, { key: ['k'], memoryBytes: 0 })
    await expect(call).rejects.toMatchObject({
      code: 'KEY_MISSING',
      context: { row: 2, line: 3, column: 'k' },
    })
    await expect(diffRows(rows, rows, { key: ['x'] })).rejects.toMatchObject({
      code: 'COLUMN_UNKNOWN',
    })
    const long = batches([
      ['k', 'v'],
      ['a'.repeat(5000), '1'],
    ])
    await expect(diffRows(long, rows, { key: ['k', 'v'] })).rejects.toMatchObject({
      code: 'KEY_TOO_LONG',
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('by a source, returns the other one and leaves nothing', async () => {
    let returned = 0
    const other = Object.assign(pipeline([]).batches(), {
      return: async () => ({ done: true as const, value: void returned++ }),
    })
    async function* failing() {
      yield* batches([
        ['k', 'v'],
        ['a', '1'],
      ])
      throw new Error('no more')
    }
    await expect(
      diffRows(failing(), other as never, { key: ['k'], memoryBytes: 0 }),
    ).rejects.toThrow('no more')
    expect([returned, await readdir(folder)]).toEqual([1, []])
  })

  test('by its signal, has the reason of the signal, in both phases', async () => {
    const stop = new AbortController()
    const rows = () =>
      batches([
        ['k', 'v'],
        ['a', '1'],
      ])
    const options = { key: ['k'], memoryBytes: 0, signal: stop.signal }
    const diff = await diffRows(rows(), rows(), options)
    stop.abort('enough')
    await expect(diff[Symbol.asyncIterator]().next()).rejects.toBe('enough')
    await expect(diffRows(rows(), rows(), options)).rejects.toBe('enough')
    expect(await readdir(folder)).toEqual([])
  })

  test.each([
    [{ key: [] }, 'key'],
    [{ key: 'k' }, 'key'],
    [{}, 'key'],
    [{ key: ['k'], memoryBytes: -1 }, 'memoryBytes'],
    [{ key: ['k'], keys: [] }, 'keys'],
  ])('by the options %j, names the option', async (options, option) => {
    await expect(diffRows([], [], options as never)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option },
    })
  })

  test('by a side that has no rows, names the side', async () => {
    await expect(diffRows(7 as never, [], { key: ['k'] })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'before' },
    })
  })
})

test('a result that is not read is freed by its close', async () => {
  const rows = batches([
    ['k', 'v'],
    ['a', '1'],
  ])
  const diff = await diffRows(rows, rows, { key: ['k'], memoryBytes: 0 })
  expect(await readdir(folder)).toHaveLength(1)
  await diff.close()
  expect(await readdir(folder)).toEqual([])
  await expect(diff[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'STAGE_DESTROYED',
  })
})
