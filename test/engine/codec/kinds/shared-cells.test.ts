import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { CellSource } from '../../../../src/engine/codec/kinds/kind-of-cells'
import { ByteTable, hashBytes, sharedReader } from '../../../../src/engine/codec/kinds/shared-cells'
import { RowCells } from '../../../../src/engine/codec/row-cells'
import { type CellRules, DOCUMENTED_CELLS } from '../../../../src/engine/codec/tsv/cell-rules'
import type { Quoting } from '../../../../src/engine/codec/tsv/dialect'
import { cellRules, noNames } from '../../../tsv-text'

/** Cells that stand one behind the other, as one row. */
function sourceOf(
  cells: readonly string[],
  rules: CellRules = DOCUMENTED_CELLS,
): {
  source: CellSource
  places: [start: number, end: number][]
} {
  const block = Buffer.from(cells.join('\t'))
  let at = 0
  const places = cells.map((cell): [number, number] => {
    const start = at
    at = start + Buffer.byteLength(cell) + 1
    return [start, at - 1]
  })
  const cellEnds = Int32Array.from(places, ([, end]) => end)
  const index = {
    columns: cells.length,
    rowStarts: Uint32Array.of(0),
    cellEnds,
    rowFlags: Uint8Array.of(1),
  }
  return { source: new RowCells(block, index, 1, { ...noNames, cells: rules }), places }
}

test('equal cells are decoded once, whatever else they are', () => {
  const { source, places } = sourceOf(['a|b', 'é|"', 'a|b', 'é|"', '"x\\"|\\\\y"', '"x\\"|\\\\y"'])
  const decode = vi.fn((text: string) => Object.freeze(text.split('|')))
  const read = sharedReader({ entryBits: 4, maxKeyBytes: 32 }, decode)
  const values = places.map(([start, end]) => read(source, 0, start, end))
  expect(values).toEqual([
    ['a', 'b'],
    ['é', '"'],
    ['a', 'b'],
    ['é', '"'],
    ['x"', '\\y'],
    ['x"', '\\y'],
  ])
  expect(decode).toHaveBeenCalledTimes(3)
  expect(values[2]).toBe(values[0])
})

test('a cell too long to be kept is decoded each time, and quotes around nothing are left to the row', () => {
  const { source, places } = sourceOf(['long enough', 'long enough', '""'])
  const decode = vi.fn((text: string) => [text])
  const read = sharedReader({ entryBits: 4, maxKeyBytes: 8 }, decode)
  expect(places.map(([start, end]) => read(source, 0, start, end))).toEqual([
    ['long enough'],
    ['long enough'],
    undefined,
  ])
  expect(decode).toHaveBeenCalledTimes(2)
})

test('a column that repeats nothing is looked for in one cell of 64, until one is there again', () => {
  const unlike = Array.from({ length: 200 }, (_, n) => `cell ${n}`)
  const { source, places } = sourceOf([...unlike, ...Array.from({ length: 200 }, () => 'cell')])
  const find = vi.spyOn(ByteTable.prototype, 'find')
  const quick = vi.fn((from: CellSource, start: number, end: number) =>
    end % 2 === 0 ? undefined : from.ownText(start, end),
  )
  const read = sharedReader({ entryBits: 4, maxKeyBytes: 16 }, text => text, quick)
  const valuesOf = (cells: typeof places) =>
    cells.map(([start, end]) => read(source, 0, start, end))
  expect(valuesOf(places.slice(0, 200))).toEqual(unlike)
  expect(find).toHaveBeenCalledTimes(66)
  expect(new Set(valuesOf(places.slice(200)))).toEqual(new Set(['cell']))
  expect(find.mock.calls.length).toBeGreaterThan(66 + 70)
  expect(quick.mock.calls.length).toBeLessThan(400)
  find.mockRestore()
})

test('what cannot be decoded throws each time and is not kept', () => {
  const { source, places } = sourceOf(['bad', 'bad'])
  const decode = vi.fn((): string => {
    throw new RangeError('no')
  })
  const read = sharedReader({ entryBits: 4, maxKeyBytes: 8 }, decode)
  for (const [start, end] of places) expect(() => read(source, 0, start, end)).toThrow(RangeError)
  expect(decode).toHaveBeenCalledTimes(2)
})

test('the same bytes in quotes are another value in another dialect, and share no place', () => {
  const cells = ['"a|""b"""', 'c|d']
  const decode = vi.fn((text: string) => Object.freeze(text.split('|')))
  const read = sharedReader({ entryBits: 4, maxKeyBytes: 32 }, decode)
  const valuesIn = (quoting: Quoting) => {
    const { source, places } = sourceOf(cells, cellRules({ quoting }))
    return places.map(([start, end]) => read(source, 0, start, end))
  }
  for (let turn = 0; turn < 2; turn++) {
    expect(valuesIn('doubled')).toEqual([
      ['a', '"b"'],
      ['c', 'd'],
    ])
    expect(valuesIn('none')).toEqual([
      ['"a', '""b"""'],
      ['c', 'd'],
    ])
  }
  expect(decode).toHaveBeenCalledTimes(5)
})

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
/**
 * Few different bytes and lengths, so that runs repeat, are prefixes of one another and share sets.
 */
const run = fc
  .array(fc.constantFrom(0, 1, 0x80, 0xff), { minLength: 1, maxLength: 14 })
  .map(bytes => Uint8Array.from(bytes))

test.each([
  ['its own', (bytes: Uint8Array) => hashBytes(viewOf(bytes), 0, bytes.length)],
  ['one hash for all', () => 0x1234_5678],
])('finds what was kept for exactly these bytes, or nothing (hash: %s)', (_, hashOf) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(run, fc.nat(3)), { maxLength: 200 }), runs => {
      const table = new ByteTable<string>({ entryBits: 4, maxKeyBytes: 12 })
      for (const [bytes, padding] of runs) {
        // Runs stand anywhere in a block, between other bytes.
        const block = viewOf(Uint8Array.of(...new Array(padding).fill(7), ...bytes, 9, 9, 9, 9))
        const hash = hashOf(bytes)
        const key = bytes.join()
        expect([key, undefined]).toContain(table.find(hash, block, padding, padding + bytes.length))
        if (table.find(hash, block, padding, padding + bytes.length) === undefined) {
          table.keep(hash, block, padding, padding + bytes.length, key)
          expect(table.find(hash, block, padding, padding + bytes.length)).toBe(
            bytes.length > 12 ? undefined : key,
          )
        }
      }
    }),
  )
})

test('four runs of one hash are kept side by side, the fifth takes the place of one', () => {
  const table = new ByteTable<number>({ entryBits: 4, maxKeyBytes: 8 })
  const runs = [1, 2, 3, 4, 5].map(byte => viewOf(Uint8Array.of(byte)))
  for (const [n, view] of runs.slice(0, 4).entries()) table.keep(0, view, 0, 1, n)
  expect(runs.map(view => table.find(0, view, 0, 1))).toEqual([0, 1, 2, 3, undefined])
  table.keep(0, runs[4]!, 0, 1, 4)
  expect(
    runs.map(view => table.find(0, view, 0, 1)).filter(value => value !== undefined),
  ).toHaveLength(4)
  expect(table.find(0, runs[4]!, 0, 1)).toBe(4)
})

test('hashes do not depend on where a run stands, and differ in their high bits', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, n) => n * 37)
  const shifted = Uint8Array.of(0, 0, 0, ...bytes)
  for (let length = 1; length < 64; length++)
    expect(hashBytes(viewOf(shifted), 3, 3 + length)).toBe(hashBytes(viewOf(bytes), 0, length))
  const places = new Set<number>()
  for (let n = 0; n < 1024; n++)
    places.add(hashBytes(viewOf(Uint8Array.of(n, n >> 8, 65, 66, 67)), 0, 5) >>> 22)
  expect(places.size).toBeGreaterThan(500)
})

test('a run too long to be kept is not found, though it begins as a kept one and its length looks like it', () => {
  const zeros = viewOf(new Uint8Array(2 ** 12))
  const table = new ByteTable<string>({ entryBits: 4, maxKeyBytes: 8 })
  table.keep(2 ** 11, zeros, 0, 5, 'five zeros')
  expect(table.find(2 ** 11, zeros, 0, 5)).toBe('five zeros')
  for (const hash of [0, 2 ** 11]) expect(table.find(hash, zeros, 0, 2 ** 11 + 5)).toBeUndefined()
})
