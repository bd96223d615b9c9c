// The parser over memory that is lent to it, against the parser over copies: the same batches, with
// the same boundaries.

import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { lend } from '../../../../src/engine/codec/loan'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { ScanCore } from '../../../../src/engine/codec/tsv/scan-core'
import { wasmMemory } from '../../../../src/engine/codec/wasm-module'
import { FeedError } from '../../../../src/engine/errors'
import type { Columns } from '../../../../src/engine/schema/feed-schema'
import { anyColumns, tsv } from '../../../tsv-text'
import { READINGS, readingSo } from './reading'

type Options = Partial<TsvParserOptions<Columns>>
type Push = (parser: TsvParser<Columns>, bytes: Uint8Array) => Iterable<RowBatch<Columns>>

const PAGE = 65_536
const LENT_BYTES = 12 * PAGE
const memory = wasmMemory(12 + 30)
const lentBytes = new Uint8Array(memory.buffer)

/**
 * A lender of outputs one behind the other, with as much history before each as `historyBytes`
 * says; it moves on to another place when it is at its end, and writes over all that it has not
 * lent.
 */
class Lender {
  readonly #historyBytes: number
  #history = Buffer.alloc(0)
  #at: number

  constructor(historyBytes: number, address: number) {
    this.#historyBytes = historyBytes
    this.#at = address
  }

  *lend(parser: TsvParser<Columns>, bytes: Uint8Array): Generator<RowBatch<Columns>> {
    const historyBytes = Math.min(this.#history.length, this.#historyBytes)
    if (this.#at + historyBytes + bytes.length + 64 > LENT_BYTES)
      this.#at = (this.#at * 7 + 13) % 97
    scribble()
    lentBytes.set(this.#history.subarray(this.#history.length - historyBytes), this.#at)
    const from = this.#at + historyBytes
    lentBytes.set(bytes, from)
    yield* parser.push(
      lend(lentBytes.subarray(from, from + bytes.length), {
        memory,
        freeFrom: LENT_BYTES,
        historyBytes,
      }),
    )
    this.#history = Buffer.concat([this.#history, bytes]).subarray(-PAGE)
    this.#at =
      from + bytes.length - Math.min(this.#history.length, this.#historyBytes, from + bytes.length)
  }
}

const ROWS = Buffer.from('"\n\t\n\\"\tx\n\xe9\ty\r\n'.repeat(64), 'latin1')
function scribble(): void {
  for (let at = 0; at < 2 * PAGE; at += ROWS.length) lentBytes.set(ROWS, at)
}

function reading(text: Uint8Array, cuts: readonly number[], options: Options, push: Push) {
  const bad: unknown[] = []
  const onBadRow: Options['onBadRow'] = row =>
    void bad.push({ code: row.code, position: row.position, bytes: Buffer.from(row.bytes) })
  const parser = new TsvParser<Columns>({ schema: anyColumns, onBadRow, ...options })
  const batches: object[] = []
  const take = (all: Iterable<RowBatch<Columns>>) => {
    for (const batch of all) batches.push(asPlain(batch))
  }
  let from = 0
  let failure: unknown
  try {
    for (const to of [...cuts, text.length]) {
      take(push(parser, text.subarray(from, to)))
      from = to
    }
    take(parser.end())
  } catch (error) {
    if (!FeedError.is(error)) throw error
    failure = { code: error.code, context: error.context }
  }
  parser.destroy()
  return { batches, bad, failure, badRows: parser.badRows, replacedRows: parser.replacedRows }
}

function asPlain(batch: RowBatch<Columns>): object {
  const { rowStarts, cellEnds, rowFlags } = batch.index
  return {
    bytes: Buffer.from(batch.bytesOf()).toString('latin1'),
    rows: batch.length,
    rowStarts: [...rowStarts],
    cellEnds: [...cellEnds],
    rowFlags: [...rowFlags],
    positions: Array.from(batch, row => row.position),
  }
}

const copied: Push = (parser, bytes) => parser.push(bytes)
const lentBy =
  (lender: Lender): Push =>
  (parser, bytes) =>
    lender.lend(parser, bytes)

function expectSame(
  text: Uint8Array,
  cuts: readonly number[],
  historyBytes: number,
  address: number,
  options: Options = {},
) {
  const expected = readingSo('row by row', () => reading(text, [], options, copied))
  for (const way of READINGS) {
    for (const push of [copied, lentBy(new Lender(historyBytes, address))])
      expect(readingSo(way, () => reading(text, cuts, options, push))).toEqual(expected)
  }
  return expected
}

const cell = fc.oneof(
  { weight: 4, arbitrary: fc.nat(60).map(length => 'cell '.repeat(20).slice(0, length)) },
  { weight: 1, arbitrary: fc.constantFrom('é', '漢字', 'a\tb', '"', 'a\nb\r\n', '\\', '') },
)
const rows = fc
  .array(fc.tuple(cell, cell), { maxLength: 40 })
  .map(cells => Buffer.from(tsv([['a', 'b'], ...cells])))
/** Bad rows of every kind among good ones. */
const hostile = fc
  .array(
    fc.constantFrom(
      'a\tb\n',
      'x\n',
      '\t\t\n',
      '"',
      '\\',
      '\n',
      '\t',
      '"a"x\t1\n',
      '\xff\t1\n',
      'y'.repeat(90),
      '\r\n',
      '"q\nq"\tz\n',
    ),
    {
      maxLength: 80,
    },
  )
  .map(parts => Buffer.from(`a\tb\n${parts.join('')}`, 'latin1'))
const cutsOf = (text: Uint8Array) =>
  fc.array(fc.nat(text.length), { maxLength: 12 }).map(cuts => cuts.sort((a, b) => a - b))
const cutText = (texts: fc.Arbitrary<Buffer>) =>
  texts.chain(text => fc.tuple(fc.constant(text), cutsOf(text)))
const batchBytes = fc.constantFrom(64, 65, 100, 256, 1024, PAGE, 2 * PAGE)
const columns = fc.constantFrom<Options>(
  {},
  { columns: ['b'] },
  { columns: ['b', 'a'] },
  { columns: ['a'] },
)
const history = fc.constantFrom(0, 1, 30, 64, 1000, PAGE)

describe('lent or copied, cut anywhere, read either way: the same batches', () => {
  test('of good rows', () => {
    fc.assert(
      fc.property(
        cutText(rows),
        history,
        fc.nat(200),
        batchBytes,
        columns,
        ([text, cuts], historyBytes, address, bytes, wanted) => {
          expectSame(text, cuts, historyBytes, address, { batchBytes: bytes, ...wanted })
        },
      ),
      { numRuns: 100 },
    )
  })

  test('of bad rows, skipped, told or thrown', () => {
    const policies = fc.constantFrom<Options>(
      { maxRowBytes: 64 },
      { maxRowBytes: 80, invalidUtf8: 'replace' },
      { onBadRow: 'skip' },
      { onBadRow: 'throw' },
    )
    fc.assert(
      fc.property(
        cutText(hostile),
        history,
        fc.nat(200),
        batchBytes,
        policies,
        columns,
        (cut, historyBytes, address, bytes, policy, wanted) => {
          expectSame(...cut, historyBytes, address, { batchBytes: bytes, ...policy, ...wanted })
        },
      ),
      { numRuns: 175 },
    )
  })

  test('of rows longer than the block, of any size', () => {
    const long = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 })
    const texts = long.map(sizes =>
      Buffer.from(
        tsv([['a', 'b'], ...sizes.map(size => ['x'.repeat(size), `"${'é'.repeat(size >> 2)}`])]),
      ),
    )
    fc.assert(
      fc.property(cutText(texts), history, fc.nat(200), ([text, cuts], historyBytes, address) => {
        expectSame(text, cuts, historyBytes, address, { batchBytes: 64 })
      }),
      { numRuns: 80 },
    )
  })

  test('of rows that the scanner has no room for, among others', () => {
    const many = Array.from({ length: 200 }, (_, n) => [`row ${n}`, n % 3 ? 'é' : 'a"b'])
    const giants = [300_000, 150_000].map(size => ['x'.repeat(size), '"é"'])
    const text = Buffer.from(tsv([['a', 'b'], ...many, giants[0]!, ...many, giants[1]!, ...many]))
    for (const cuts of [[], [5000], [PAGE, 5 * PAGE], [300_000]])
      for (const wanted of [{}, { columns: ['b'] }, { columns: ['b', 'a'] }]) {
        const { batches, failure } = expectSame(text, cuts, PAGE, 5, wanted)
        expect(failure).toBeUndefined()
        const rows = batches.map(batch => (batch as { rows: number }).rows)
        expect(rows.reduce((all, some) => all + some, 0)).toBe(602)
      }
  })

  test('at every cut in two, and byte by byte', () => {
    const text = Buffer.from(
      tsv([
        ['a', 'b'],
        ...Array.from({ length: 12 }, (_, n) => [`row ${n}`, n % 3 ? 'é' : 'a"b\t\n']),
      ]),
    )
    for (let cut = 0; cut <= text.length; cut++)
      expectSame(text, [cut], PAGE, cut, { batchBytes: 64 })
    expectSame(
      text,
      Array.from(text, (_, n) => n),
      PAGE,
      0,
      { batchBytes: 64 },
    )
  })

  test('of a header alone, of one that is longer than the block, of nothing', () => {
    for (const text of [
      'a\tb\n',
      'a\tb',
      `${'a'.repeat(200)}\tb\n1\t2\n`,
      '\ufeffa\tb\n1\t2',
      '',
      '\ufeff',
      'a\ta\n',
    ]) {
      const bytes = Buffer.from(text)
      for (let cut = 0; cut <= bytes.length; cut++)
        expectSame(bytes, [cut], PAGE, 3, { batchBytes: 64 })
    }
  })

  test('of many blocks in one output, in batches of 64 KiB', () => {
    const text = Buffer.from(
      tsv([
        ['a', 'b'],
        ...Array.from({ length: 6000 }, (_, n) => [
          `${n} ${'x'.repeat(n % 70)}`,
          n % 50 ? '"q"' : 'é',
        ]),
      ]),
    )
    expect(text.length).toBeGreaterThan(4 * PAGE)
    const scan = vi.spyOn(ScanCore.prototype, 'scan')
    const { batches } = expectSame(text, [10, 3 * PAGE, 3 * PAGE + 7], PAGE, 11)
    expect(batches.length).toBeGreaterThan(4)
    // All blocks but the last, which is not full, lie in the memory that is lent.
    const scansOfLent = (scan.mock.contexts as ScanCore[]).filter(core => core.memory === memory)
    expect(scansOfLent.length).toBeGreaterThanOrEqual(4)
    scan.mockRestore()
    expectSame(text, [PAGE - 1, 2 * PAGE], PAGE, 0, { batchBytes: 1000 })
  })
})

test('batches that are lent too, and read at once: the same rows', () => {
  const rowsOf = (text: Uint8Array, cuts: readonly number[], options: Options, push: Push) => {
    const parser = new TsvParser<Columns>({
      schema: anyColumns,
      onBadRow: 'skip',
      ...options,
    })
    const read: unknown[] = []
    const take = (batches: Iterable<RowBatch<Columns>>) => {
      for (const batch of batches)
        for (const row of batch) read.push([row.position, row.toStrings(), [...row]])
    }
    let from = 0
    for (const to of [...cuts, text.length]) {
      take(push(parser, text.subarray(from, to)))
      from = to
    }
    if (text.length > 0) take(parser.end())
    parser.destroy()
    return read
  }
  fc.assert(
    fc.property(
      cutText(fc.oneof(rows, hostile)),
      history,
      fc.nat(200),
      batchBytes,
      columns,
      ([text, cuts], historyBytes, address, bytes, wanted) => {
        const options = { batchBytes: bytes, ...wanted }
        const expected = rowsOf(text, [], options, copied)
        const lender = new Lender(historyBytes, address)
        expect(rowsOf(text, cuts, { ...options, lends: true }, lentBy(lender))).toEqual(expected)
        expect(rowsOf(text, cuts, { ...options, lends: true }, copied)).toEqual(expected)
      },
    ),
    { numRuns: 100 },
  )
})

test('batches own their memory: what becomes of a lender does not touch them', () => {
  const text = Buffer.from(
    tsv([['a', 'b'], ...Array.from({ length: 100 }, (_, n) => [`row ${n}`, 'x'])]),
  )
  lentBytes.set(text, 0)
  const parser = new TsvParser<Columns>({
    schema: anyColumns,
    batchBytes: 256,
  })
  const batches = [
    ...parser.push(
      lend(lentBytes.subarray(0, text.length), { memory, freeFrom: LENT_BYTES, historyBytes: 0 }),
    ),
  ]
  scribble()
  batches.push(...parser.end())
  expect(batches.flatMap(batch => Array.from(batch, row => row.text('a')))).toEqual(
    Array.from({ length: 100 }, (_, n) => `row ${n}`),
  )
  for (const batch of batches) expect(batch.bytesOf().buffer).not.toBe(memory.buffer)
  parser.destroy()
})

test('outputs much smaller than a block', () => {
  const parser = new TsvParser<Columns>({ schema: anyColumns })
  const text = Buffer.from(`a\tb\n${'x\ty\n'.repeat(3 * PAGE)}`)
  lentBytes.set(text.subarray(0, 5 * PAGE), 0)
  let rows = 0
  for (let at = 0; at < 5 * PAGE; at += 8) {
    const loan = { memory, freeFrom: LENT_BYTES, historyBytes: Math.min(at, PAGE) }
    for (const batch of parser.push(lend(lentBytes.subarray(at, at + 8), loan)))
      rows += batch.length
  }
  for (const batch of parser.end()) rows += batch.length
  expect(rows).toBe((5 * PAGE) / 4 - 1)
  parser.destroy()
})
