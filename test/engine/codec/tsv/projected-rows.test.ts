// Cells that an engine keeps against cells that are copied one by one.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProjectedCells } from '../../../../src/engine/codec/tsv/projected-rows'
import { appendLeftOut } from '../../../../src/engine/codec/tsv/scan-space'
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

test('in the engine’s memory, or one by one: the same bytes and ends', () => {
  fc.assert(
    fc.property(table, ({ rows, columns, lineEnd, address }) => {
      const text = Buffer.from(rows.map(cells => cells.join('\t') + lineEnd).join(''))
      lentBytes.set(text, address)
      const block = lentBytes.subarray(address, address + text.length)
      const scanner = new TsvScanner()
      scanner.borrow({ memory, freeFrom: LENT_BYTES, historyBytes: 0 })
      const space = scanner.newSpace(
        rows[0]!.length,
        Math.max(0, ...columns.map(column => column + 1)),
      )
      scanner.scan(block, 0, block.length, 1 << 20, space)
      fc.pre(space.rows === rows.length)
      const [projected, copied] = [
        new ProjectedCells(Int32Array.from(columns), 64),
        new ProjectedCells(Int32Array.from(columns), 64),
      ]
      // Twice: what is added stands behind what is there.
      for (let round = 0; round < 2; round++) {
        scanner.project(block, space, projected)
        copied.addCells(block, space)
      }
      expect([...projected.ends]).toEqual([...copied.ends])
      expect(Buffer.from(projected.bytes).toString()).toBe(Buffer.from(copied.bytes).toString())
      const wanted = rows
        .map(cells =>
          columns.length > 0 ? `${columns.map(column => cells[column]).join('\t')}\n` : '',
        )
        .join('')
      expect(Buffer.from(projected.bytes).toString()).toBe(wanted + wanted)
      scanner.release()
    }),
    { numRuns: 150 },
  )
})

test('in the engine’s memory too, empty cells of rows that are left out have room', () => {
  const columns = 60
  const text = Buffer.alloc(LENT_BYTES - 4096, '\n')
  text.write(`${'x\t'.repeat(columns - 1)}${'y'.repeat(text.length - 3000)}\n`)
  lentBytes.set(text)
  const block = lentBytes.subarray(0, text.length)
  const scanner = new TsvScanner()
  scanner.borrow({ memory, freeFrom: LENT_BYTES, historyBytes: 0 })
  const space = scanner.newSpace(columns)
  let from = scanner.scan(block, 0, block.length, 1 << 20, space)
  expect(space.rows).toBe(1)
  while (space.rows < space.maxRows) appendLeftOut(space, from++)
  const all = Int32Array.from({ length: columns }, (_, column) => column)
  const [projected, copied] = [
    new ProjectedCells(all, space.maxRows),
    new ProjectedCells(all, space.maxRows),
  ]
  scanner.project(block, space, projected)
  copied.addCells(block, space)
  expect(projected.byteLength).toBe(from - space.rows + 1 + (space.maxRows - 1) * columns)
  expect([...projected.ends]).toEqual([...copied.ends])
  expect(Buffer.compare(projected.bytes, copied.bytes)).toBe(0)
  scanner.release()
})

test('it grows', () => {
  const projected = new ProjectedCells(Int32Array.of(0), 10)
  const block = Buffer.from(`${'x'.repeat(300_000)}\n`)
  const rows = {
    columns: 1,
    rows: 1,
    rowStarts: Uint32Array.of(0),
    cellEnds: Int32Array.of(300_000),
    rowFlags: Uint8Array.of(0),
  }
  projected.addCells(block, rows)
  projected.addCells(block, rows)
  expect(projected.byteLength).toBe(2 * 300_001)
  expect([...projected.ends.subarray(0, 2)]).toEqual([300_000, 600_001])
  projected.clear()
  expect(projected.bytes.length).toBe(0)
})
