import { expect, test, vi } from 'vitest'
import type { CellSource } from '../../../../src/engine/codec/decode/cell-source'
import { sharedReader } from '../../../../src/engine/codec/decode/shared-cells'
import { RowCells } from '../../../../src/engine/codec/row-cells'
import type { CellRules, Quoting } from '../../../../src/engine/codec/tsv/dialect'
import { cellRules } from '../../../tsv-text'

/** Cells that stand one behind the other, as one row. */
function sourceOf(
  cells: readonly string[],
  rules?: CellRules,
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
  return { source: new RowCells(block, index, 1, rules), places }
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
