// The JSON of rows of several files is what JSON.stringify makes of their objects.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectWithInvalid } from '../../../../src/engine/codec/bad-cells'
import { RowsJson } from '../../../../src/engine/codec/columns/rows-json'
import { bigIntAsText } from '../../../../src/engine/codec/projection'
import type { Row } from '../../../../src/engine/codec/row-batch'
import { TextBuffer } from '../../../../src/engine/codec/text-buffer'
import { TsvParser } from '../../../../src/engine/codec/tsv/parser'
import { defineSchema } from '../../../../src/engine/schema/feed-schema'
import { tsv } from '../../../tsv-text'
import { columns, rowOfCells, types } from '../any-cells'

/** The kinds that columns write, in whose schemas rows go together. */
const { float64: _f, json: _j, cell: _c, numbers: _n, times: _t, ...kept } = columns
const schemas = [columns, kept].map(each => defineSchema({ name: 'other', columns: each }))
const file = fc.record({
  schema: fc.constantFrom(...schemas),
  names: fc
    .shuffledSubarray([...types.slice(1), 'own\\"'])
    // A file without a known column is refused.
    .map(names => [...names, 'text' as const]),
  rows: fc.array(rowOfCells, { maxLength: 40 }),
})

function rowsOf({ schema, names, rows }: typeof file extends fc.Arbitrary<infer F> ? F : never) {
  const cells = rows.map(row => names.map(name => row[types.indexOf(name as never)] ?? name))
  const parser = new TsvParser({ schema, batchBytes: 256 })
  return [...parser.push(Buffer.from(tsv([names, ...cells]))), ...parser.end()].flatMap(batch => [
    ...batch,
  ]) as unknown as Row[]
}

function linesOf(
  rows: readonly Row[],
  own: Record<string, readonly (Row | null)[]> = {},
): string[] {
  const out = new TextBuffer(1)
  new RowsJson(Object.keys(own)).write(rows, Object.values(own), out)
  return out.view().toString().split('\n').slice(0, -1)
}

test('rows of any files have the JSON of their objects, bad cells included', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 3 }), fc.array(fc.nat(99)), (files, others) => {
      const rows = files.flatMap(rowsOf)
      // Rows of any line, and none. One property has the place of a column of some files.
      const other = (n: number): Row | null => rows[others[n % others.length] ?? 0] ?? null
      const own = { 'ow"n': rows.map((_, n) => other(n)), int32: rows.map((_, n) => other(7 * n)) }
      const lines = linesOf(rows, own)
      for (const [n, row] of rows.entries()) {
        const [first, second] = [own['ow"n'][n]!, own.int32[n]!]
        const object = {
          ...objectWithInvalid(row),
          'ow"n': first && objectWithInvalid(first),
          int32: second && objectWithInvalid(second),
        }
        expect(lines[n]).toBe(JSON.stringify(object, bigIntAsText))
      }
      expect(lines).toHaveLength(rows.length)
      expect(linesOf(rows)).toEqual(
        rows.map(row => JSON.stringify(objectWithInvalid(row), bigIntAsText)),
      )
    }),
    { numRuns: 150 },
  )
})

test('rows that are too many or too long for the module have the same lines', () => {
  const texts = ['a', 'b'.repeat(300_000), '\u0001'.repeat(100_000), 'c'.repeat(600_000)]
  const cells = [...texts, ...Array.from({ length: 9000 }, (_, n) => `${n}`)].map(each => [each])
  const parser = new TsvParser({ schema: schemas[1]!, batchBytes: 1 << 22, maxRowBytes: 1 << 20 })
  const batches = [...parser.push(Buffer.from(tsv([['text'], ...cells]))), ...parser.end()]
  const rows = batches.flatMap(batch => [...batch]) as unknown as Row[]
  const others = rows.map((_, n) => (n < 8 ? rows[n % 4]! : null))
  const lines = linesOf(rows, { other: others }).map(line => JSON.parse(line))
  expect(lines.map(({ text, other }) => [text, other?.text])).toEqual(
    cells.map(([text], n) => [text, texts[n < 8 ? n % 4 : -1]]),
  )
})

test('one bad cell among many rows leaves the others as they are', () => {
  const rows = Array.from({ length: 300 }, (_, n) => [n === 170 ? 'x' : `${n}`, 'a"b'])
  const parser = new TsvParser({ schema: schemas[1]! })
  const batches = [...parser.push(Buffer.from(tsv([['int32', 'text'], ...rows]))), ...parser.end()]
  const all = batches.flatMap(batch => [...batch]) as unknown as Row[]
  const lines = linesOf(all).map(line => JSON.parse(line))
  expect(lines.map(({ int32 }) => int32)).toEqual(rows.map((_, n) => (n === 170 ? null : n)))
  expect(lines[170].invalid).toEqual({ int32: 'x' })
})
