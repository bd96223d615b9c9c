// Cells that are projected where they were found, against cells of a block that no core has.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProjectedRows } from '../../../../src/engine/codec/tsv/projected-rows'
import {
  appendLeftOut,
  newScanSpace,
  type ScanSpace,
} from '../../../../src/engine/codec/tsv/scan-space'
import { TsvScanner } from '../../../../src/engine/codec/tsv/tsv-scanner'
import { wasmMemory } from '../../../../src/engine/codec/wasm-module'

const LENT_BYTES = 65_536
const memory = wasmMemory(1 + 33)
const lentBytes = new Uint8Array(memory.buffer)

const cell = fc.oneof(
  fc.nat(70).map(length => 'a cell '.repeat(10).slice(0, length)),
  fc.constantFrom('', '"a\\tb"', 'é', '"\\\\"q"', '漢字漢字漢字漢字漢字'),
)
const table = fc.integer({ min: 1, max: 12 }).chain(width =>
  fc.record({
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 20,
    }),
    columns: fc.shuffledSubarray(Array.from({ length: width }, (_, column) => column)),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    address: fc.nat(100),
  }),
)

const place = { row: 1, line: 1, byteOffset: 0 }

function lentScanner(): TsvScanner {
  const scanner = new TsvScanner()
  scanner.borrow({ memory, freeFrom: LENT_BYTES, historyBytes: 0 })
  return scanner
}

/** Adds the rows of a block as often as it says, and takes them. */
function taken(
  scanner: TsvScanner,
  columns: readonly number[],
  { block, space, times = 1 }: { block: Uint8Array; space: ScanSpace; times?: number },
) {
  const rows = new ProjectedRows(Int32Array.from(columns), 1 << 16)
  for (let round = 0; round < times; round++) rows.add({ block, space, place }, scanner)
  const { bytes, index, rowCount } = rows.take()
  return { text: Buffer.from(bytes).toString(), ends: [...index.cellEnds], rowCount }
}

test('in the memory of a core, or one by one: the same bytes and ends', () => {
  fc.assert(
    fc.property(table, ({ rows, columns, lineEnd, address }) => {
      const text = Buffer.from(rows.map(cells => cells.join('\t') + lineEnd).join(''))
      lentBytes.set(text, address)
      const block = lentBytes.subarray(address, address + text.length)
      const scanner = lentScanner()
      const space = scanner.newSpace(
        rows[0]!.length,
        Math.max(0, ...columns.map(column => column + 1)),
      )
      scanner.scan(block, 0, block.length, 1 << 20, space)
      fc.pre(space.rows === rows.length)
      // Twice: what is added stands behind what is there.
      const projected = taken(scanner, columns, { block, space, times: 2 })
      expect(projected).toEqual(taken(scanner, columns, { block: text, space, times: 2 }))
      const wanted = rows
        .map(cells =>
          columns.length > 0 ? `${columns.map(column => cells[column]).join('\t')}\n` : '',
        )
        .join('')
      expect(projected.text).toBe(wanted + wanted)
      expect(projected.rowCount).toBe(2 * rows.length)
      scanner.release()
    }),
    { numRuns: 150 },
  )
})

test('as many columns as a file may have', () => {
  const columns = Array.from({ length: 4096 }, (_, column) => column)
  const text = Buffer.from(`${columns.join('\t')}\n`)
  lentBytes.set(text)
  const block = lentBytes.subarray(0, text.length)
  const scanner = lentScanner()
  const space = scanner.newSpace(columns.length)
  scanner.scan(block, 0, block.length, 1 << 20, space)
  expect(taken(scanner, columns.toReversed(), { block, space }).text).toBe(
    `${columns.toReversed().join('\t')}\n`,
  )
  scanner.release()
})

test('in the memory of a core too, empty cells of rows that are left out have room', () => {
  const columns = 60
  const text = Buffer.alloc(LENT_BYTES - 4096, '\n')
  text.write(`${'x\t'.repeat(columns - 1)}${'y'.repeat(text.length - 3000)}\n`)
  lentBytes.set(text)
  const block = lentBytes.subarray(0, text.length)
  const scanner = lentScanner()
  const space = scanner.newSpace(columns)
  let from = scanner.scan(block, 0, block.length, 1 << 20, space)
  expect(space.rows).toBe(1)
  while (space.rows < space.maxRows) appendLeftOut(space, from++)
  const all = Array.from({ length: columns }, (_, column) => column)
  const projected = taken(scanner, all, { block, space })
  expect(projected.text.length).toBe(from - space.rows + 1 + (space.maxRows - 1) * columns)
  expect(projected).toEqual(taken(scanner, all, { block: text, space }))
  scanner.release()
})

test('it grows', () => {
  const block = Buffer.from(`${'x'.repeat(300_000)}\n`)
  const space = newScanSpace(1)
  space.cellEnds[0] = 300_000
  space.rows = 1
  const { text, ends } = taken(new TsvScanner(), [0], { block, space, times: 2 })
  expect(text).toBe(`${'x'.repeat(300_000)}\n`.repeat(2))
  expect(ends).toEqual([300_000, 600_001])
})
