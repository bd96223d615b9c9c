import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type CellRules, DOCUMENTED_CELLS } from '../../../../src/engine/codec/tsv/dialect'
import { readRow } from '../../../../src/engine/codec/tsv/read-row'
import { scalarScanner } from '../../../../src/engine/codec/tsv/scalar-scanner'
import {
  CELL_END,
  CELL_MARK,
  newScanSpace,
  type ScanSpace,
  type TsvScanner,
} from '../../../../src/engine/codec/tsv/scanner'
import { wasmScanner } from '../../../../src/engine/codec/tsv/tsv-scanner'
import { wasmMemory } from '../../../../src/engine/codec/wasm-module'
import { cellDialect, cellRules } from '../../../tsv-text'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const fresh = async () => (await import('../../../../src/engine/codec/tsv/tsv-scanner')).tsvScanner

test('the fastest engine by default, and either by name', async () => {
  const tsvScanner = await fresh()
  expect([tsvScanner(), tsvScanner('wasm'), tsvScanner('scalar')].map(({ name }) => name)).toEqual([
    'wasm',
    'wasm',
    'scalar',
  ])
})

test('a machine without WebAssembly gets the plain engine, or a typed error where it asked for the other', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  const tsvScanner = await fresh()
  expect(tsvScanner().name).toBe('scalar')
  expect(() => tsvScanner('wasm')).toThrow(
    expect.objectContaining({ code: 'DEPENDENCY_UNSUPPORTED' }),
  )
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
type Space = (scanner: TsvScanner, columns: number, rows: number) => ScanSpace

/**
 * A lender's memory: what is lent lies in its first 4 pages, and behind the bytes stands what looks
 * like rows.
 */
const LENT_BYTES = 4 * 65_536
const lender = wasmMemory(4 + 30, true)
const lentBytes = new Uint8Array(lender.buffer)
const ROWS_BEHIND = Buffer.from('"\t\n\na\tb\n\\"\t"\n\xff\r\n"x"\ty\n'.repeat(9), 'latin1')

const copied: Place = (_scanner, block) => block
function lentAt(address: number): Place {
  return (scanner, block) => {
    lentBytes.set(ROWS_BEHIND, address + block.length)
    lentBytes.set(block, address)
    scanner.borrow({ memory: lender, freeFrom: LENT_BYTES, historyBytes: 0 })
    return lentBytes.subarray(address, address + block.length)
  }
}

const spaceOfJs: Space = (_scanner, columns, rows) => newScanSpace(columns, rows)
const spaceOfCore: Space = (scanner, columns, rows) => {
  const space = scanner.newSpace(columns)
  return { ...space, maxRows: Math.min(rows, space.maxRows) }
}

/** Scans in the order of the parser, which lends the block before it makes the space. */
function scanned(scanner: TsvScanner, scan: Scan, place = copied, spaceFor = spaceOfJs) {
  const { from = 0, to = scan.block.length, columns = 2, rows = 4096, maxRowBytes = 1 << 20 } = scan
  const block = place(scanner, scan.block)
  const space = spaceFor(scanner, columns, rows)
  const next = scanner.scan(block, from, to, maxRowBytes, space)
  if (space.isCut) expectNoEnd(scan, next, to)
  const found = {
    next,
    rows: space.rows,
    innerLines: space.innerLines,
    rowStarts: [...space.rowStarts.subarray(0, space.rows)],
    rowFlags: [...space.rowFlags.subarray(0, space.rows)],
    cellEnds: [...space.cellEnds.subarray(0, space.rows * columns)],
  }
  scanner.release()
  return found
}

function expectNoEnd({ block, cells = DOCUMENTED_CELLS }: Scan, from: number, to: number): void {
  const options = { final: false, linesInQuotes: true, maxCells: Number.POSITIVE_INFINITY, cells }
  expect(readRow(block, from, to, options).kind).toBe('incomplete')
}

/** @param address of the lender's block, which decides how the steps of 64 bytes lie */
function expectSame(of: Scan, address = 0, cells: CellRules = DOCUMENTED_CELLS): void {
  const scan = { ...of, cells }
  const expected = scanned(scalarScanner(cells), scan)
  for (const place of [copied, lentAt(address)]) {
    for (const space of [spaceOfJs, spaceOfCore])
      expect(scanned(wasmScanner(cells), scan, place, space)).toEqual(expected)
  }
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

describe('both engines say the same, of blocks that are copied or lent, in either space', () => {
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

  test('of blocks larger than the memory, and of rows larger than it', () => {
    const row = `${'a'.repeat(50)}\t"${'b'.repeat(70)}\\""\n`
    const giant = `${'c'.repeat(70_000)}\t${'d'.repeat(70_000)}\n`
    const block = Buffer.from(`${row.repeat(400)}${giant}${row.repeat(400)}bad\n${row}`, 'latin1')
    expect(block.length).toBeLessThan(LENT_BYTES)
    expectSame({ block }, 5)
    expect(scanned(wasmScanner(), { block }).rows).toBe(801)
  })

  test('of rows with more columns than an index of the engine has room for', () => {
    const columns = 70_000
    const block = Buffer.from(`${'\t'.repeat(columns - 1)}\n`.repeat(2))
    expectSame({ block, columns, rows: 1 })
    expectSame({ block, columns: 2 })
  })

  test('of a block of nothing but line ends, and of one of nothing but delimiters', () => {
    for (const columns of [1, 2, 16, 4096, 65_536]) {
      for (const block of [Buffer.alloc(65_536, '\n'), Buffer.alloc(65_536, '\t')])
        expectSame({ block, columns, rows: 4096 / columns || 1 }, 7)
    }
  })
})

/** The rows that the slow reader reads in a block before one that is not good. */
function readSlowly({ block, columns = 2 }: Scan, cells: CellRules) {
  const rowStarts: number[] = []
  const ends: number[] = []
  let [next, innerLines] = [0, 0]
  for (;;) {
    const options = { final: false, linesInQuotes: true, maxCells: columns, cells }
    const row = readRow(block, next, block.length, options)
    if (row.kind !== 'row' || row.cellEnds.length !== columns) break
    rowStarts.push(next)
    ends.push(...row.cellEnds)
    innerLines += row.innerLines
    next = row.next
  }
  return { next, rows: rowStarts.length, innerLines, rowStarts, ends }
}

describe('in every dialect', () => {
  const dialects = cellDialect.map(cellRules)
  /** The same bytes with the dialect's delimiter in place of tabs. */
  const inDialect = (block: Buffer, { delimiter }: CellRules) =>
    Buffer.from(block.map(byte => (byte === 0x09 ? delimiter : byte)))
  const anyBytes = fc.oneof(
    text,
    fc.array(piece, { maxLength: 200 }).map(all => Buffer.from(all.join('""'), 'latin1')),
  )

  test('both engines and the slow reader find the same cells in any bytes', () => {
    fc.assert(
      fc.property(
        anyBytes,
        dialects,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(63),
        (bytes, cells, columns, address) => {
          const block = inDialect(bytes, cells)
          expectSame({ block, columns }, address, cells)
          const {
            cellEnds,
            rowFlags: _,
            ...found
          } = scanned(scalarScanner(cells), {
            block,
            columns,
          })
          const ends = cellEnds.map(end => end & CELL_END)
          expect({ ...found, ends }).toEqual(readSlowly({ block, columns }, cells))
        },
      ),
      { numRuns: 750 },
    )
  })

  test('both engines find the same cells in rows, at every cut', () => {
    fc.assert(
      fc.property(columnsAndRows, dialects, fc.nat(63), ([columns, rows], cells, address) => {
        const block = inDialect(rows, cells)
        for (let to = 0; to <= block.length; to += 1 + (block.length >> 4))
          expectSame({ block, to, columns }, address, cells)
        expectSame({ block, columns }, address, cells)
      }),
      { numRuns: 80 },
    )
  })

  test('doubled quotes at every place of a step of 16 bytes, and before the end of the block', () => {
    const cells = cellRules({ delimiter: ',', quoting: 'doubled' })
    for (let length = 0; length < 80; length++) {
      const inner = 'x'.repeat(length)
      const block = Buffer.from(`"${inner}""",b\n"${inner}""\n""\\",""\r\n`)
      expectSame({ block }, length % 64, cells)
      expect(scanned(wasmScanner(cells), { block }).rows).toBe(2)
      for (const to of [length + 2, length + 3, length + 4])
        expectSame({ block, to }, length % 64, cells)
    }
  })

  test('without quoting a quote is text, and no cell of ASCII is marked', () => {
    const cells = cellRules({ quoting: 'none' })
    const block = Buffer.from('"a\t"\n"\t\\"\n')
    const { rows, cellEnds } = scanned(wasmScanner(cells), { block })
    expect(rows).toBe(2)
    expect(cellEnds).toEqual([2, 4, 6, 9])
  })
})

test('the ends of cells that are quoted or not ASCII are marked, and of no others', () => {
  fc.assert(
    fc.property(columnsAndRows, fc.nat(63), ([columns, block], address) => {
      for (const place of [copied, lentAt(address)]) {
        const { rows, rowStarts, cellEnds } = scanned(wasmScanner(), { block, columns }, place)
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
  for (const place of [copied, lentAt(3)]) {
    for (const spaceFor of [spaceOfJs, spaceOfCore]) {
      const scanner = wasmScanner()
      const bytes = place(scanner, block)
      const space = spaceFor(scanner, 2, 9)
      expect(scanner.scan(bytes, 0, bytes.length, 99, space)).toBe(4)
      expect(scanner.scan(bytes, 8, bytes.length, 99, space)).toBe(bytes.length)
      expect([...space.rowStarts.subarray(0, 3)]).toEqual([0, 8, 12])
      expect([...space.cellEnds.subarray(0, 6)]).toEqual([
        1,
        3,
        9,
        11,
        15 | CELL_MARK,
        20 | CELL_MARK,
      ])
      expect([...space.rowFlags.subarray(0, 3)]).toEqual([0, 0, 1])
      scanner.release()
    }
  }
})

test('two scanners over one lender take turns', () => {
  const [first, second] = [wasmScanner(), wasmScanner()]
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
  const scanner = wasmScanner()
  scanner.release()
  scanner.release()
  const [one, other] = [wasmScanner(), wasmScanner()]
  const [a, b] = [one.newSpace(1), other.newSpace(1)]
  expect(a.cellEnds.buffer).not.toBe(b.cellEnds.buffer)
  one.release()
  other.release()
})

test('a hostile block, of which every row stops the engine, is copied in small pieces', () => {
  const block = Buffer.from('x\n'.repeat(100_000))
  const space = newScanSpace(2, 4096)
  const scanner = wasmScanner()
  let stops = 0
  for (let from = 0; from < block.length; from += 2)
    if (scanner.scan(block, from, block.length, 1 << 20, space) === from) stops++
  expect(stops).toBe(100_000)
})
