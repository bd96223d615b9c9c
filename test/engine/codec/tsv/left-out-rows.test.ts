// Files of bad rows: what they cost in counted work, and that leaving rows out in silence changes
// nothing of the others.

import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import type { BadRow } from '../../../../src/engine/codec/tsv/bad-row-report'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { PAUSE } from '../../../../src/engine/core/steps'
import { FeedError } from '../../../../src/engine/errors'
import type { Columns } from '../../../../src/engine/schema/feed-schema'
import { anyColumns, everyByte } from '../../../tsv-text'
import { READINGS, readingSo } from './reading'

const work = vi.hoisted(() => ({ slowRows: 0, errors: 0 }))
vi.mock('../../../../src/engine/codec/tsv/read-row', async original => {
  const module = await original<typeof import('../../../../src/engine/codec/tsv/read-row')>()
  const readRow: typeof module.readRow = (...row) => {
    work.slowRows++
    return module.readRow(...row)
  }
  return { ...module, readRow }
})
vi.mock('../../../../src/engine/errors', async original => {
  const module = await original<typeof import('../../../../src/engine/errors')>()
  class CountedError extends module.FeedError {
    constructor(...parts: ConstructorParameters<typeof module.FeedError>) {
      super(...parts)
      work.errors++
    }
  }
  return { ...module, FeedError: CountedError }
})

type Options = Partial<TsvParserOptions<Columns>>

interface Found {
  readonly rows: object[]
  readonly batches: number
  readonly pauses: number
  readonly badRows: number
  readonly failure: unknown
}

function read(text: Uint8Array, options: Options, cuts: readonly number[] = []): Found {
  const parser = new TsvParser<Columns>({ schema: anyColumns, ...options })
  const rows: object[] = []
  let [batches, pauses, failure]: [number, number, unknown] = [0, 0, undefined]
  const take = (steps: Iterable<RowBatch<Columns> | typeof PAUSE>) => {
    for (const step of steps) {
      if (step === PAUSE) pauses++
      else {
        batches++
        for (const row of step) {
          expect(row.detach().position).toEqual(row.position)
          rows.push({
            ...row.position,
            cells: row.toStrings(),
            bytes: Buffer.from(step.bytesOf(row.slot)).toString('latin1'),
          })
        }
      }
    }
  }
  try {
    let from = 0
    for (const to of [...cuts, text.length]) {
      take(parser.steps(text.subarray(from, to)))
      from = to
    }
    take(parser.lastSteps())
  } catch (error) {
    if (!FeedError.is(error)) throw error
    failure = { code: error.code, context: error.context }
  }
  parser.destroy()
  return { rows, batches, pauses, badRows: parser.badRows, failure }
}

const repeated = (line: string, bytes: number) =>
  Buffer.from(`a\tb\n${line.repeat(bytes / line.length)}`, 'latin1')

const line = fc.constantFrom(
  '1\t2\n',
  'é\t"q\nq"\n',
  '1\t2\r\n',
  `${'x'.repeat(90)}\ty\n`,
  '\n',
  '\r\n',
  'short\n',
  '1\t2\t3\n',
  '1\t2\t"3\n',
  '1\t"q\n\nq"\t3\n',
  '"a\n"\t"b"c\n',
  '"open\t1\n',
  '"a"x\t1\n',
  '\xff\t1\n',
  'x'.repeat(200),
  '\t"',
)
const soup = fc
  .array(line, { maxLength: 60 })
  .map(lines => Buffer.from(`a\tb\n${lines.join('')}`, 'latin1'))

beforeEach(() => {
  work.slowRows = 0
  work.errors = 0
})

describe('fault 98: rows that are left out in silence', () => {
  test.each(READINGS)('leave the others as they are, at every cut (%s)', way => {
    const options = fc.record({
      batchBytes: fc.constantFrom(64, 1 << 16),
      maxRowBytes: fc.constantFrom(128, 1 << 20),
    })
    fc.assert(
      fc.property(
        soup,
        options,
        fc.constantFrom<Options>({}, { columns: ['b', 'a'] }),
        (text, sizes, columns) => {
          const readSo: typeof read = (...all) => readingSo(way, () => read(...all))
          const told = readSo(text, { ...sizes, onBadRow: () => {} })
          const all = { ...sizes, ...columns, onBadRow: 'skip' } as const
          const silent = readSo(text, all)
          const cells = (found: Found) => found.rows.map(row => ({ ...row, bytes: undefined }))
          expect(cells(silent)).toEqual(cells(told))
          expect(silent.badRows).toBe(told.badRows)
          expect(readSo(text, all, everyByte(text.length))).toEqual(silent)
        },
      ),
      { numRuns: 200 },
    )
  })

  test.each([
    ['blank lines', '\n'],
    ['blank lines with CRLF', '\r\n'],
    ['short rows', 'short\n'],
    ['long rows', '1\t2\t3\n'],
  ])('cost no reading of single rows: %s', (_, bad) => {
    const { badRows, batches, pauses } = read(repeated(bad, 1 << 20), { onBadRow: 'skip' })
    expect(badRows).toBe(Math.floor((1 << 20) / bad.length))
    expect(batches).toBe(0)
    // One row at each block's end, where it is cut off.
    expect(work.slowRows).toBeLessThan(40)
    expect(pauses).toBeGreaterThanOrEqual(15)
  })

  test('do not end a batch, and the rows behind them keep their places in the file', () => {
    const text = repeated('1\t2\nshort\n\n"a\nb"\n', 17 * 2000)
    for (const columns of [undefined, ['b']]) {
      const { rows, badRows, batches } = read(text, {
        onBadRow: 'skip',
        ...(columns && { columns }),
      })
      expect([rows.length, badRows]).toEqual([2000, 6000])
      expect(batches).toBeLessThan(20)
      expect(rows[1]).toMatchObject({ row: 5, line: 7, byteOffset: 21 })
    }
  })

  test('have no bytes in their batch behind its last row', () => {
    const parser = new TsvParser<Columns>({ schema: anyColumns, onBadRow: 'skip' })
    const text = Buffer.from('a\tb\n1\t2\nshort\n3\t4\nshort\n\n')
    const [batch, ...others] = [...parser.push(text), ...parser.end()]
    expect([batch!.length, batch!.rowCount, others]).toEqual([2, 3, []])
    expect(Buffer.from(batch!.bytesOf()).toString()).toBe('1\t2\nshort\n3\t4')
  })

  test('may be shorter than the delimiters of their empty cells', () => {
    const names = Array.from({ length: 60 }, (_, n) => `c${n}`)
    const good = `${names.join('\t')}\n`
    const text = Buffer.from(good.repeat(3) + '\n'.repeat(1000) + good)
    for (const way of READINGS) {
      const options: Options = { columns: names.toReversed(), batchBytes: 64 }
      const found = (onBadRow: NonNullable<Options['onBadRow']>) =>
        readingSo(way, () => read(text, { ...options, onBadRow }))
      const silent = found('skip')
      expect(silent.badRows).toBe(1000)
      expect(silent.rows.map(row => ({ ...row, bytes: '' }))).toEqual(
        found(() => {}).rows.map(row => ({ ...row, bytes: '' })),
      )
    }
  })
})

describe('fault 98: bad rows that somebody is told of', () => {
  test('cost an error and its stack only where it is asked for', () => {
    let told = 0
    read(repeated('short\n', 6 * 5000), { onBadRow: () => void told++ })
    expect([told, work.errors]).toEqual([5000, 0])
    const messages: string[] = []
    read(repeated('short\n', 6 * 2), {
      onBadRow: bad => void messages.push(bad.error.message, bad.error.message),
    })
    expect(work.errors).toBe(2)
    expect(messages[0]).toBe('row 1, line 2, byte 4: 1 cells in a file of 2 columns')
  })

  test('come in the order of the file, each behind the rows before it', () => {
    const seen: string[] = []
    const onBadRow: Options['onBadRow'] = bad => void seen.push(`bad ${bad.position.row}`)
    const parser = new TsvParser<Columns>({ schema: anyColumns, onBadRow })
    const text = Buffer.from('a\tb\n1\t2\n\xff\t2\nshort\n\n3\t4\n\xff\t2\nlong\t\t\n', 'latin1')
    for (const steps of [parser.push(text), parser.end()]) {
      for (const batch of steps) for (const row of batch) seen.push(`row ${row.position.row}`)
    }
    expect(seen).toEqual(['bad 2', 'row 1', 'bad 3', 'bad 4', 'bad 6', 'row 5', 'bad 7'])
  })
})

describe('fault 98: one step does a bounded amount of work', () => {
  test.each<[string, string, Options]>([
    ['blank lines', '\n', { onBadRow: 'skip' }],
    ['quotes', '"', { onBadRow: 'skip' }],
    ['quotes on lines', '"\n', { onBadRow: 'skip' }],
    ['open quotes', 'x\t"aaaa\n', { onBadRow: 'skip' }],
    ['blank lines, told', '\n', { onBadRow: () => {} }],
    ['bytes that are not UTF-8', '\xff\t1\n', { onBadRow: 'skip' }],
    ['short rows, few columns', 'short\n', { onBadRow: 'skip', columns: ['a'] }],
  ])('%s', (_, bad, options) => {
    const parser = new TsvParser<Columns>({ schema: anyColumns, maxRowBytes: 1 << 16, ...options })
    const steps = parser.steps(repeated(bad, 1 << 20))[Symbol.iterator]()
    let most = 0
    for (let before = 0, step = steps.next(); !step.done; step = steps.next()) {
      expect(step.value).toBe(PAUSE)
      most = Math.max(most, parser.badRows - before)
      before = parser.badRows
    }
    expect(most).toBeLessThanOrEqual((1 << 16) + (1 << 10))
    parser.destroy()
  })
})

describe('fault 98: maxBadRows', () => {
  const text = Buffer.from('a\tb\n1\t2\nshort\n3\t4\n\n\xff\t5\n6\t7\nlong\t\t\n8\t9\n', 'latin1')
  const cells = (found: Found) => found.rows.map(row => (row as { row: number }).row)

  test.each<[string, Options]>([
    ['skip', { onBadRow: 'skip' }],
    ['skip, some columns', { onBadRow: 'skip', columns: ['b'] }],
    ['told', { onBadRow: () => {} }],
  ])('the rows before the bad row that is one too many come, then the error: %s', (_, options) => {
    const expected: [number, number[], number?][] = [
      [0, [1], 2],
      [1, [1, 3], 4],
      [2, [1, 3], 5],
      [3, [1, 3, 6], 7],
      [4, [1, 3, 6, 8]],
    ]
    for (const [maxBadRows, rows, at] of expected) {
      for (const cuts of [[], everyByte(text.length)]) {
        for (const way of READINGS) {
          const found = readingSo(way, () => read(text, { ...options, maxBadRows }, cuts))
          expect(cells(found)).toEqual(rows)
          expect(found.badRows).toBe(maxBadRows)
          if (at === undefined) expect(found.failure).toBeUndefined()
          else
            expect(found.failure).toMatchObject({
              code: 'TSV_BAD_ROWS_LIMIT',
              context: { row: at, limit: maxBadRows },
            })
        }
      }
    }
  })
})

test('the bytes of a reported row stay as they are while the parser reads on', () => {
  const bad: BadRow[] = []
  const onBadRow = (row: BadRow) => void bad.push(row)
  const parser = new TsvParser({ schema: anyColumns, onBadRow, batchBytes: 64 })
  const text = `a\tb\nshort\n${'1\t2\n'.repeat(200)}`
  for (let at = 0; at < text.length; at += 16)
    for (const _ of parser.push(Buffer.from(text.slice(at, at + 16))));
  for (const _ of parser.end());
  expect(bad.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['short\n'])
})

test('a parser that is destroyed while it reports a row shares its block with no other parser', () => {
  const reported: string[] = []
  const other = Buffer.from(`a\tb\n${'other\tother\n'.repeat(50)}`)
  const onBadRow = (row: BadRow) => {
    reported.push(Buffer.from(row.bytes).toString())
    parser.destroy()
    const next = new TsvParser({ schema: anyColumns })
    expect([...next.push(other), ...next.end()].flatMap(batch => [...batch])).toHaveLength(50)
    next.destroy()
  }
  const parser = new TsvParser({ schema: anyColumns, onBadRow })
  for (const _ of parser.push(Buffer.from('a\tb\n1\t2\nfirst\n3\t4\nsecond\n')));
  for (const _ of parser.end());
  expect(reported).toEqual(['first\n', 'second\n'])
})
