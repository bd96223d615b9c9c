// What the scanner takes of a block, against what the slow reader says of it row by row.

import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type CellRules, DOCUMENTED_CELLS } from '../../../../src/engine/codec/tsv/cell-rules'
import { readRow } from '../../../../src/engine/codec/tsv/read-row'
import {
  appendRow,
  CELL_END,
  CELL_MARK,
  newScanSpace,
} from '../../../../src/engine/codec/tsv/scan-space'
import { TsvScanner } from '../../../../src/engine/codec/tsv/tsv-scanner'
import { wasmMemory } from '../../../../src/engine/codec/wasm-module'
import { cellDialect, cellRules } from '../../../tsv-text'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

test('without WebAssembly it takes no row, and has memory and space for those who read', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const scanner = new (await import('../../../../src/engine/codec/tsv/tsv-scanner')).TsvScanner()
  const block = scanner.memoryFor(8)
  block.set(Buffer.from('a\tb\nc\td\n'))
  const space = scanner.newSpace(2)
  expect(scanner.scan(block, 0, 8, 99, space)).toBe(0)
  expect(scanner.scanCopy(block, 0, space)).toBe(0)
  expect([space.rows, space.isCut, space.cellEnds.length >= 4]).toEqual([0, false, true])
  scanner.release()
})

interface Scan {
  readonly block: Uint8Array
  readonly from?: number
  readonly to?: number
  readonly columns?: number
  readonly rows?: number
  readonly maxRowBytes?: number
  readonly cells?: CellRules
}

type Place = (scanner: TsvScanner, block: Uint8Array) => Uint8Array

/**
 * A lender's memory: what is lent lies in its first 4 pages, and behind the bytes stands what looks
 * like rows.
 */
const LENT_BYTES = 4 * 65_536
const lender = wasmMemory(4 + 30, true)
const lentBytes = new Uint8Array(lender.buffer)
const ROWS_BEHIND = Buffer.from('"\t\n\na\tb\n\\"\t"\n\xff\r\n"x"\ty\n'.repeat(9), 'latin1')

const ownAt =
  (address: number): Place =>
  (scanner, block) => {
    const memory = scanner.memoryFor(address + block.length)
    memory.set(block, address)
    return memory.subarray(address)
  }
const lentAt =
  (address: number): Place =>
  (scanner, block) => {
    lentBytes.set(ROWS_BEHIND, address + block.length)
    lentBytes.set(block, address)
    scanner.borrow({ memory: lender, freeFrom: LENT_BYTES, historyBytes: 0 })
    return lentBytes.subarray(address, address + block.length)
  }

const rulesOf = ({
  block,
  from = 0,
  to = block.length,
  columns = 2,
  rows = 4096,
  ...rest
}: Scan) => ({
  block,
  from,
  to,
  columns,
  rows,
  maxRowBytes: rest.maxRowBytes ?? 1 << 20,
  cells: rest.cells ?? DOCUMENTED_CELLS,
})

const foundIn = (space: ReturnType<typeof newScanSpace>, next: number) => ({
  next,
  rows: space.rows,
  innerLines: space.innerLines,
  rowStarts: [...space.rowStarts.subarray(0, space.rows)],
  rowFlags: [...space.rowFlags.subarray(0, space.rows)],
  cellEnds: [...space.cellEnds.subarray(0, space.rows * space.columns)],
})

/** Scans in the order of the parser, which lends the block before it makes the space. */
function scanned(scan: Scan, place = ownAt(0)) {
  const { block, from, to, columns, rows, maxRowBytes, cells } = rulesOf(scan)
  const scanner = new TsvScanner(cells)
  const bytes = place(scanner, block)
  const space = scanner.newSpace(columns)
  const limited = { ...space, maxRows: Math.min(rows, space.maxRows) }
  const next = scanner.scan(bytes, from, to, maxRowBytes, limited)
  if (limited.isCut) expect(slowRow(scan, next).kind).toBe('incomplete')
  const found = foundIn(limited, next)
  scanner.release()
  return found
}

function slowRow(scan: Scan, from: number, most = Number.POSITIVE_INFINITY) {
  const { block, to, cells } = rulesOf(scan)
  const options = { final: false, linesInQuotes: true, maxCells: scan.columns ?? 2, cells }
  return readRow(block, from, Math.min(to, from + most), options)
}

/** The rows before the first that is not good, as the slow reader reads them. */
function readSlowly(scan: Scan) {
  const { block, from, columns, rows, maxRowBytes, cells } = rulesOf(scan)
  const space = newScanSpace(columns)
  let next = from
  while (space.rows < Math.min(rows, space.maxRows)) {
    const row = slowRow(scan, next, maxRowBytes)
    if (row.kind !== 'row' || row.cellEnds.length !== columns) break
    next = appendRow(space, block, next, row, cells)
  }
  return foundIn(space, next)
}

/** @param address of the block in its memory, which decides how the steps of 64 bytes lie */
function expectSame(scan: Scan, address = 0): void {
  const expected = readSlowly(scan)
  for (const place of [ownAt(address), lentAt(address)])
    expect(scanned(scan, place)).toEqual(expected)
}

/** Bytes that mean something, and runs that reach over the steps of 16 and 64 bytes. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '\t',
      '\n',
      '"',
      '\\',
      '\r',
      '\r\n',
      'a',
      '\0',
      '\xc3\xa9',
      '\t\t',
      '\\"',
      '"\t"',
    ),
  },
  { weight: 1, arbitrary: fc.nat(140).map(length => 'x'.repeat(length)) },
)
const text = fc
  .array(piece, { maxLength: 120 })
  .map(pieces => Buffer.from(pieces.join(''), 'latin1'))

/** Rows that are mostly good, so that scans come far. */
const cell = fc.oneof(
  { weight: 3, arbitrary: fc.nat(40).map(length => 'y'.repeat(length)) },
  {
    weight: 1,
    arbitrary: fc
      .nat(90)
      .map(length => `"${'q'.repeat(length)}\\"\\\\\t\n${'\xe9'.repeat(length % 3)}"`),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '\xe9', 'a"b', '\\', '"', '\r') },
)
const rowText = (columns: number) =>
  fc
    .tuple(
      fc.array(cell, { minLength: columns, maxLength: columns }),
      fc.constantFrom('\n', '\r\n'),
    )
    .map(([cells, end]) => cells.join('\t') + end)
const rowsOf = (columns: number) =>
  fc.array(rowText(columns), { maxLength: 40 }).map(rows => Buffer.from(rows.join(''), 'latin1'))
const columnsAndRows = fc
  .integer({ min: 1, max: 5 })
  .chain(columns => fc.tuple(fc.constant(columns), rowsOf(columns)))

describe('the scanner takes the rows that the slow reader reads, in its own memory or in lent memory', () => {
  test('of any bytes, from any place to any other, whatever the caps', () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(200),
        fc.nat(200),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 300 }),
        fc.nat(63),
        (block, start, length, columns, rows, maxRowBytes, address) => {
          const from = Math.min(start, block.length)
          expectSame(
            { block, from, to: Math.min(from + length, block.length), columns, rows, maxRowBytes },
            address,
          )
        },
      ),
      { numRuns: 500 },
    )
  })

  test('of rows, at every cut', () => {
    fc.assert(
      fc.property(columnsAndRows, fc.nat(63), ([columns, block], address) => {
        for (let to = 0; to <= block.length; to += 1 + (block.length >> 5))
          expectSame({ block, to, columns }, address)
        expectSame({ block, columns }, address)
      }),
      { numRuns: 80 },
    )
  })

  test('of rows, at every alignment', () => {
    fc.assert(
      fc.property(columnsAndRows, ([columns, block]) => {
        for (let address = 0; address < 64; address++) expectSame({ block, columns }, address)
      }),
      { numRuns: 10 },
    )
  })

  test('of a copy, as far as the memory has room', () => {
    const row = `${'a'.repeat(50)}\t"${'b'.repeat(70)}\\""\n`
    const bytes = Buffer.from(row.repeat(4000))
    const scanner = new TsvScanner()
    let rows = 0
    for (let at = 0; at < bytes.length; ) {
      const space = scanner.newSpace(2)
      const next = scanner.scanCopy(bytes, at, space)
      expect(foundIn(space, next)).toEqual(readSlowly({ block: bytes, from: at, rows: space.rows }))
      expect(space.rows).toBeGreaterThan(0)
      rows += space.rows
      at = next
    }
    expect(rows).toBe(4000)
    scanner.release()
  })

  test('of a block of nothing but line ends, and of one of nothing but delimiters', () => {
    for (const columns of [1, 2, 16, 4096, 65_536]) {
      for (const block of [Buffer.alloc(65_536, '\n'), Buffer.alloc(65_536, '\t')])
        expectSame({ block, columns, rows: 4096 / columns || 1 }, 7)
    }
    const delimiters = Buffer.alloc(1 << 20, '\t')
    expect(scanned({ block: delimiters }, ownAt(7))).toEqual(readSlowly({ block: delimiters }))
  })

  test('of a block that is larger than the memory was', () => {
    const cell = 'a'.repeat(300_000)
    const block = Buffer.from(`${cell}\t"${cell}"\nb\tc\n`)
    const scan = { block, maxRowBytes: 1 << 20 }
    const expected = readSlowly(scan)
    expect(expected.next).toBe(block.length)
    expect(scanned(scan, ownAt(7))).toEqual(expected)
  })
})

describe('in every dialect', () => {
  const dialects = cellDialect.map(cellRules)
  /** The same bytes with the dialect's delimiter in place of tabs. */
  const inDialect = (block: Buffer, { delimiter }: CellRules) =>
    Buffer.from(block.map(byte => (byte === 0x09 ? delimiter : byte)))
  const anyBytes = fc.oneof(
    text,
    fc.array(piece, { maxLength: 200 }).map(all => Buffer.from(all.join('""'), 'latin1')),
  )

  test('the same cells in any bytes', () => {
    fc.assert(
      fc.property(
        anyBytes,
        dialects,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(63),
        (bytes, cells, columns, address) =>
          expectSame({ block: inDialect(bytes, cells), columns, cells }, address),
      ),
      { numRuns: 750 },
    )
  })

  test('the same cells in rows, at every cut', () => {
    fc.assert(
      fc.property(columnsAndRows, dialects, fc.nat(63), ([columns, rows], cells, address) => {
        const block = inDialect(rows, cells)
        for (let to = 0; to <= block.length; to += 1 + (block.length >> 4))
          expectSame({ block, to, columns, cells }, address)
        expectSame({ block, columns, cells }, address)
      }),
      { numRuns: 80 },
    )
  })

  test('doubled quotes at every place of a step of 16 bytes, and before the end of the block', () => {
    const cells = cellRules({ delimiter: ',', quoting: 'doubled' })
    for (let length = 0; length < 80; length++) {
      const inner = 'x'.repeat(length)
      const block = Buffer.from(`"${inner}""",b\n"${inner}""\n""\\",""\r\n`)
      expectSame({ block, cells }, length % 64)
      expect(scanned({ block, cells }).rows).toBe(2)
      for (const to of [length + 2, length + 3, length + 4])
        expectSame({ block, to, cells }, length % 64)
    }
  })

  test('without quoting a quote is text, and no cell of ASCII is marked', () => {
    const cells = cellRules({ quoting: 'none' })
    const block = Buffer.from('"a\t"\n"\t\\"\n')
    const { rows, cellEnds } = scanned({ block, cells })
    expect(rows).toBe(2)
    expect(cellEnds).toEqual([2, 4, 6, 9])
  })
})

test('the ends of cells that are quoted or not ASCII are marked, and of no others', () => {
  fc.assert(
    fc.property(columnsAndRows, fc.nat(63), ([columns, block], address) => {
      for (const place of [ownAt(address), lentAt(address)]) {
        const { rows, rowStarts, cellEnds } = scanned({ block, columns }, place)
        for (let cell = 0; cell < rows * columns; cell++) {
          const start =
            cell % columns === 0 ? rowStarts[cell / columns]! : (cellEnds[cell - 1]! & CELL_END) + 1
          const bytes = block.subarray(start, cellEnds[cell]! & CELL_END)
          expect(cellEnds[cell]! < 0).toBe(bytes[0] === 0x22 || bytes.some(byte => byte >= 0x80))
        }
      }
    }),
    { numRuns: 75 },
  )
})

test('a space goes on where the last scan ended', () => {
  const block = Buffer.from('a\tb\nbad\nc\td\n"e"\t"é"\n')
  for (const place of [ownAt(3), lentAt(3)]) {
    const scanner = new TsvScanner()
    const bytes = place(scanner, block)
    const space = scanner.newSpace(2)
    expect(scanner.scan(bytes, 0, block.length, 99, space)).toBe(4)
    expect(scanner.scan(bytes, 8, block.length, 99, space)).toBe(block.length)
    expect(foundIn(space, 0)).toMatchObject({
      rowStarts: [0, 8, 12],
      cellEnds: [1, 3, 9, 11, 15 | CELL_MARK, 20 | CELL_MARK],
      rowFlags: [0, 0, 1],
    })
    scanner.release()
  }
})

test('a loan that ends takes its space with it', () => {
  const scanner = new TsvScanner()
  const own = ownAt(0)(scanner, Buffer.from('a\tb\n'))
  const lent = lentAt(0)(scanner, Buffer.from('c\td\n'))
  expect(scanner.scan(lent, 0, 4, 99, scanner.newSpace(2))).toBe(4)
  expect(scanner.scan(own, 0, 4, 99, scanner.newSpace(2))).toBe(0)
  scanner.borrow(undefined)
  expect(scanner.scan(own, 0, 4, 99, scanner.newSpace(2))).toBe(4)
  scanner.release()
})

test('two scanners over one lender take turns', () => {
  const [first, second] = [new TsvScanner(), new TsvScanner()]
  const block = lentAt(0)(first, Buffer.from('a\tb\nc\td\n'))
  lentAt(0)(second, Buffer.from('a\tb\nc\td\n'))
  for (const scanner of [first, second, first]) {
    const space = scanner.newSpace(2)
    expect(scanner.scan(block, 0, block.length, 99, space)).toBe(8)
    expect([...space.cellEnds.subarray(0, space.rows * 2)]).toEqual([1, 3, 5, 7])
  }
  first.release()
  second.release()
})

test('a released scanner gives its core to the next, and none to itself', () => {
  const scanner = new TsvScanner()
  scanner.release()
  scanner.release()
  const [one, other] = [new TsvScanner(), new TsvScanner()]
  const [a, b] = [one.newSpace(1), other.newSpace(1)]
  expect(a.cellEnds.buffer).not.toBe(b.cellEnds.buffer)
  one.release()
  other.release()
})
