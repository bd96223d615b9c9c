// The JSON of rows of several files is what JSON.stringify makes of their objects.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectWithInvalid } from '../../../../src/engine/codec/bad-cells'
import { RowsJson } from '../../../../src/engine/codec/columns/rows-json'
import { bigIntsAsText } from '../../../../src/engine/codec/projection'
import type { Row } from '../../../../src/engine/codec/row'
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

/** The lines of rows, each in its place. */
function linesOf(rows: readonly Row[], tail?: string): string[] {
  const out = new TextBuffer(1)
  const { starts, ends } = new RowsJson(tail).of(rows, out)
  expect([...ends].sort((a, b) => a - b).at(-1) ?? 0).toBe(out.length)
  return rows.map((_, n) => out.view().toString('utf8', starts[n], ends[n]))
}

test('rows of any files have the JSON of their objects, bad cells included', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 3 }), files => {
      const rows = files.flatMap(rowsOf)
      const lines = linesOf(rows, ',"tail":[]')
      for (const [n, row] of rows.entries())
        expect(lines[n]).toBe(
          `${JSON.stringify(bigIntsAsText(objectWithInvalid(row))).slice(0, -1)},"tail":[]}\n`,
        )
    }),
    { numRuns: 150 },
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
