import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { PLACE_WORDS } from '../../../../src/engine/codec/columns/columns-core'
import { ProfiledCells } from '../../../../src/engine/codec/columns/profiled-cells'
import { textHash } from '../../../../src/engine/codec/columns/text-hash'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import type { Dialect } from '../../../../src/engine/codec/tsv/dialect'
import { TsvParser } from '../../../../src/engine/codec/tsv/parser'
import { anyColumns, cellDialect, tsv, writtenIn } from '../../../tsv-text'
import { Bad, plainly, rowOfCells, schema, types } from '../any-cells'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

function batchesOf(text: string, dialect?: Dialect): RowBatch[] {
  const parser = new TsvParser({ schema, ...(dialect && { dialect }) })
  return [...parser.push(Buffer.from(text)), ...parser.end()] as unknown as RowBatch[]
}

/** The texts of all cells, row by row, each with its hash. */
function found(batch: RowBatch, { texts: { places, view } }: Pick<ProfiledCells, 'texts'>) {
  return Array.from({ length: batch.length * batch.index.columns }, (_, n) => {
    const [start = 0, end = 0, hash] = places.subarray(PLACE_WORDS * n)
    const bytes = Buffer.from(view.buffer, view.byteOffset + start, end - start)
    return [bytes.toString(), start === end ? undefined : hash]
  })
}

function expected(batch: RowBatch) {
  return [...batch].flatMap(row =>
    Object.values(row.toStrings()).map(text => {
      const bytes = Buffer.from(text)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      return [text, text === '' ? undefined : textHash(view, 0, bytes.length)]
    }),
  )
}

test('each cell of any file has its text and hash, also where rows are out of view', () => {
  const file = fc
    .tuple(cellDialect, fc.array(rowOfCells, { minLength: 1, maxLength: 6 }))
    .map(([dialect, rows]) => {
      const lines = [types, ...rows].map((row: readonly string[]) =>
        row.map(cell => writtenIn(dialect, cell)).join(dialect.delimiter),
      )
      return { dialect, text: lines.map(line => `${line}\n`).join('') }
    })
  let cells = 0
  fc.assert(
    fc.property(file, fc.nat({ max: 3 }), ({ dialect, text }, left) => {
      const parser = new TsvParser({ schema: anyColumns, dialect, onBadRow: 'skip' })
      for (const whole of [...parser.push(Buffer.from(text)), ...parser.end()]) {
        const batch = whole.select(({ slot }) => slot % 4 !== left) as unknown as RowBatch
        expect(found(batch, new ProfiledCells(batch))).toEqual(expected(batch))
        cells += batch.length
      }
    }),
  )
  expect(cells).toBeGreaterThan(0)
})

test('a batch with more bytes than the module takes has its texts too', () => {
  for (const batch of batchesOf(
    tsv([
      ['text', 'other'],
      ['a"\t', 'b\\'.repeat(300_000)],
    ]),
  ))
    expect(found(batch, new ProfiledCells(batch))).toEqual(expected(batch))
})

test('bytes that are not UTF-8 have the text that replaces them', () => {
  const parser = new TsvParser({ schema: anyColumns, invalidUtf8: 'replace' })
  const bytes = Buffer.from('a\tb\n\xe9\xff\xfe\tx\n', 'latin1')
  for (const batch of [...parser.push(bytes), ...parser.end()] as unknown as RowBatch[]) {
    expect(found(batch, new ProfiledCells(batch))).toEqual(expected(batch))
    expect(batch.row(0).text('a')).toBe('\ufffd'.repeat(3))
  }
})

test('a machine without WebAssembly has the texts by plain code, and leaves all checks', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const { ProfiledCells: Plain } = await import(
    '../../../../src/engine/codec/columns/profiled-cells'
  )
  for (const batch of batchesOf(
    tsv([
      ['text', 'int32'],
      ['é\t', '12'],
      ['', ''],
    ]),
  )) {
    const cells = new Plain(batch)
    expect(found(batch, cells)).toEqual(expected(batch))
    expect(cells.extremes(1)).toBeUndefined()
  }
})

test('the rows of the range are known of columns without a bad cell only', () => {
  const rankOf = (value: unknown) =>
    typeof value === 'string'
      ? Date.parse(value)
      : Number(value instanceof Date ? value : `${value}`)
  let known = 0
  fc.assert(
    fc.property(fc.array(rowOfCells, { minLength: 1, maxLength: 8 }), rows => {
      for (const batch of batchesOf(tsv([types, ...rows]))) {
        const cells = new ProfiledCells(batch)
        types.forEach((name, at) => {
          const extremes = cells.extremes(at)
          if (extremes === undefined) return
          const values = rows.map(row => plainly(name, row[at]!))
          expect(values.filter(value => value instanceof Bad)).toEqual([])
          const ranks = values.filter(value => value !== null).map(rankOf)
          const hasOrder = ['int32', 'int64', 'decimal', 'date', 'timestamp'].includes(name)
          expect(extremes.map(n => rankOf(values[n]))).toEqual(
            hasOrder && ranks.length > 0 ? [Math.min(...ranks), Math.max(...ranks)] : [],
          )
          if (hasOrder) expect(ranks).not.toContain(Number.NaN)
          known += extremes.length
        })
      }
    }),
  )
  expect(known).toBeGreaterThan(0)
})

test('the range of decimals is that of all their digits', () => {
  const digits = fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n })
  fc.assert(
    fc.property(fc.array(digits, { minLength: 1, maxLength: 9 }), values => {
      const rows = values.map(value => [`${value}`])
      for (const batch of batchesOf(tsv([['decimal'], ...rows]))) {
        const extremes = new ProfiledCells(batch).extremes(0)!
        const sorted = values.toSorted((a, b) => (a < b ? -1 : 1))
        expect(extremes.map(n => values[n])).toEqual([sorted[0], sorted.at(-1)])
      }
    }),
  )
})
