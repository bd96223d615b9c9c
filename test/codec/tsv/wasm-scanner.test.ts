import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scalarScanner } from '../../../src/codec/tsv/scalar-scanner'
import { newScanSpace, type TsvScanner } from '../../../src/codec/tsv/scanner'
import { wasmScanner } from '../../../src/codec/tsv/wasm-scanner'

interface Scan {
  readonly block: Uint8Array
  readonly from?: number
  readonly to?: number
  readonly columns?: number
  readonly rows?: number
  readonly maxRowBytes?: number
}

function scanned(scanner: TsvScanner, { block, from = 0, to = block.length, columns = 2, rows = 4096, maxRowBytes = 1 << 20 }: Scan) {
  const space = newScanSpace(columns, rows)
  const next = scanner.scan(block, from, to, maxRowBytes, space)
  return {
    next,
    rows: space.rows,
    innerLines: space.innerLines,
    rowStarts: [...space.rowStarts.subarray(0, space.rows)],
    rowFlags: [...space.rowFlags.subarray(0, space.rows)],
    cellEnds: [...space.cellEnds.subarray(0, space.rows * columns)],
  }
}

function expectSame(scan: Scan): void {
  expect(scanned(wasmScanner(), scan)).toEqual(scanned(scalarScanner, scan))
}

/** Bytes that mean something, and runs that reach over the steps of 16 and 64 bytes. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('\t', '\n', '"', '\\', '\r', '\r\n', 'a', '\0', '\xc3\xa9', '\t\t', '\\"', '"\t"') },
  { weight: 1, arbitrary: fc.nat(140).map(length => 'x'.repeat(length)) },
)
const text = fc.array(piece, { maxLength: 120 }).map(pieces => Buffer.from(pieces.join(''), 'latin1'))

/** Rows that are mostly good, so that scans come far. */
const cell = fc.oneof(
  { weight: 3, arbitrary: fc.nat(40).map(length => 'y'.repeat(length)) },
  { weight: 1, arbitrary: fc.nat(90).map(length => `"${'q'.repeat(length)}\\"\\\\\t\n${'\xe9'.repeat(length % 3)}"`) },
  { weight: 1, arbitrary: fc.constantFrom('', '\xe9', 'a"b', '\\', '"', '\r') },
)
const rowText = (columns: number) =>
  fc
    .tuple(fc.array(cell, { minLength: columns, maxLength: columns }), fc.constantFrom('\n', '\r\n'))
    .map(([cells, end]) => cells.join('\t') + end)
const rowsOf = (columns: number) => fc.array(rowText(columns), { maxLength: 40 }).map(rows => Buffer.from(rows.join(''), 'latin1'))

describe('both engines say the same', () => {
  test('of any bytes, from any place to any other, whatever the caps', () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(200),
        fc.nat(200),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 300 }),
        (block, start, length, columns, rows, maxRowBytes) => {
          const from = Math.min(start, block.length)
          expectSame({ block, from, to: Math.min(from + length, block.length), columns, rows, maxRowBytes })
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('of rows, at every cut', () => {
    const columnsAndRows = fc.integer({ min: 1, max: 5 }).chain(columns => fc.tuple(fc.constant(columns), rowsOf(columns)))
    fc.assert(
      fc.property(columnsAndRows, ([columns, block]) => {
        for (let to = 0; to <= block.length; to += 1 + (block.length >> 6)) expectSame({ block, to, columns })
        expectSame({ block, columns })
      }),
      { numRuns: 150 },
    )
  })

  test('of blocks larger than the memory, and of rows larger than it', () => {
    const row = `${'a'.repeat(50)}\t"${'b'.repeat(70)}\\""\n`
    const giant = `${'c'.repeat(70_000)}\t${'d'.repeat(70_000)}\n`
    const block = Buffer.from(row.repeat(1200) + giant + row.repeat(1200) + 'bad\n' + row, 'latin1')
    expectSame({ block })
    expect(scanned(wasmScanner(), { block }).rows).toBe(2401)
  })
})

test('a hostile block, of which every row stops the engine, is copied in small pieces', () => {
  const block = Buffer.from('x\n'.repeat(100_000))
  const space = newScanSpace(2, 4096)
  const scanner = wasmScanner()
  let stops = 0
  for (let from = 0; from < block.length; from += 2) if (scanner.scan(block, from, block.length, 1 << 20, space) === from) stops++
  expect(stops).toBe(100_000)
})
