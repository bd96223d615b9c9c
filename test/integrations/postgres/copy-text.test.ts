// The text of COPY equals what the values of the rows say, one by one: random cells of every kind,
// bad ones among them, in every dialect.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { TextBuffer } from '../../../src/engine/codec/text-buffer'
import type { TsvParserOptions } from '../../../src/engine/codec/tsv/parser'
import { type Columns, decimal, defineSchema, FeedError } from '../../../src/index'
import { sinkRows, targetRows } from '../../../src/integrations/postgres/copy-rows'
import { isEmptyList, jsonText, sqlTextOf } from '../../../src/integrations/postgres/sql-types'
import { columnNameOf } from '../../../src/sync/target/sql/sql-tables'
import { base64, cellOf, columns, type Name, types } from '../../engine/codec/any-cells'
import { batchesIn, cellDialect, tsv, writtenIn } from '../../tsv-text'

const schema = defineSchema({
  name: 'other',
  columns: { ...columns, scaled: decimal({ scale: 3 }) },
})
const sqlColumns = Object.entries(schema.columns).map(([name, spec]) => ({
  name,
  sqlName: columnNameOf(name),
  spec,
}))
const head = { names: ['n'], write: (_: unknown, out: TextBuffer, n: number) => out.text(`${n}`) }

const batchesOf = (bytes: string | Uint8Array, options: Partial<TsvParserOptions<Columns>> = {}) =>
  batchesIn(bytes, { schema, ...options })

function written(batch: RowBatch<Columns>): string {
  const out = new TextBuffer(1)
  targetRows(batch.header, sqlColumns, head).text.write(batch, out)
  return out.view().toString()
}

function expected(batch: RowBatch<Columns>): string {
  const lines = Array.from(batch, (row, n) => {
    const other: [string, string][] = []
    const invalid: [string, string][] = []
    const cells: (string | undefined)[] = []
    for (const { name, known } of batch.header.columns) {
      if (!known) {
        if (row.text(name) !== '') other.push([name, row.text(name)])
        continue
      }
      try {
        const spec = schema.columns[name as Name]!
        const value = row.get(name) as unknown
        const isEmpty = value == null || isEmptyList(spec, value)
        const cell = isEmpty ? '' : sqlTextOf(spec)(value)
        cells.push(cell ?? '')
        if (cell === undefined) invalid.push([name, row.text(name)])
      } catch (error) {
        if (!FeedError.is(error) || error.code !== 'CELL_INVALID') throw error
        cells.push('')
        invalid.push([name, row.text(name)])
      }
    }
    const objectOf = (texts: [string, string][]) =>
      texts.length === 0 ? '' : jsonText(Object.fromEntries(texts))
    const hasOther = batch.header.columns.some(({ known }) => !known)
    const rest = [...(hasOther ? [objectOf(other)] : []), objectOf(invalid)]
    return [String(n), ...cells, ...rest].map(cell => inCopy(cell!)).join('\t')
  })
  return lines.map(line => `${line}\n`).join('')
}

/** As the manual of PostgreSQL says. */
const inCopy = (cell: string) =>
  Array.from(Buffer.from(cell).toString(), char => {
    const at = '\t\n\r\\'.indexOf(char)
    return at >= 0 ? `\\${'tnr\\'[at]}` : char === '\0' ? '\uFFFD' : char
  }).join('')

const file = [...types, 'scaled', '7', 'own\\"'] as const
const row = fc.tuple(
  ...file.map(name => {
    const cell = (
      Object.hasOwn(cellOf, name) ? cellOf[name as Name] : cellOf.text
    ) as typeof cellOf.text
    const scaled = fc.constantFrom('1', '-0.125', '1.5', '0.0001', `${'9'.repeat(40)}`)
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant('') },
      { weight: 9, arbitrary: name === 'scaled' ? scaled : cell },
    )
  }),
)

test('every kind of cell, good and bad, in every dialect', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.subarray([...file]),
      cellDialect,
      (cells, shown, dialect) => {
        const bytes = cells
          .map(texts =>
            texts
              .map((cell, n) =>
                !shown.includes(file[n]!) ||
                (dialect.quoting === 'none' &&
                  (/[\n\r"\\]/.test(cell) || cell.includes(dialect.delimiter)))
                  ? ''
                  : // A file that begins with NUL looks like UTF-16.
                    writtenIn(dialect, cell.replaceAll('\0', '')),
              )
              .join(dialect.delimiter),
          )
          .join('\n')
        const headed = { ...dialect, header: [...file] }
        for (const batch of batchesOf(bytes, { dialect: headed, batchBytes: 256 }))
          expect(written(batch)).toBe(expected(batch))
      },
    ),
    { numRuns: 500 },
  )
})

test('all escapes, in texts, lists and pairs of every length', () => {
  const bytes = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')
  const texts = [...bytes].flatMap((char, n) => [
    char,
    'ü'.repeat(n % 20) + char,
    `${char}${bytes}`,
  ])
  const rows = texts.map(cell => {
    const pair = `${base64(cell)}|${base64(cell)}:${base64(cell)}`
    const inFile = /^"|[\t\n\r]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
    return [inFile, inFile, pair, `${base64(`n${cell}`)}:${base64(`v${cell}`)}`].join('\t')
  })
  const names = ['text', 'pipeList', 'aspects', 'conditionDescriptors'].join('\t')
  for (const batch of batchesOf(`${names}\n${rows.join('\n')}\n`))
    expect(written(batch)).toBe(expected(batch))
})

test('values at the edges of their kinds', () => {
  const batches = batchesOf(
    tsv([
      ['int32', 'int64', 'decimal', 'date', 'timestamp', 'scaled', 'extra'],
      ['-2147483648', '-9223372036854775808', '-0', '0000-02-29', '9999-12-31T23:59:59Z', '1', 'x'],
      ['007', '10', '-000.50', '0001-01-01', '0000-01-01T00:00:00.001Z', '-0.50', ''],
      ['-0', '-0', '9'.repeat(10_000), '9999-12-31', '1969-12-31T23:59:59Z', '9'.repeat(36), '\\'],
      ['', '', '9'.repeat(10_001), '1969-12-31', '0001-01-01T00:00:00Z', '', ''],
    ]),
    { maxRowBytes: 1 << 20 },
  )
  for (const batch of batches) expect(written(batch)).toBe(expected(batch))
})

test('rows with more text than the module has room for, and a bad cell in one of them', () => {
  const long = ['\\', '\x01', 'ü'].map(char => char.repeat(270_000))
  const rows = [
    ['a', '1'],
    [long[0]!, 'x'],
    ['b', '2'],
    [long[1]!, '3'],
    ['c', 'y'],
    [long[2]!, ''],
  ]
  const [batch] = batchesOf(`text\tint32\n${rows.map(cells => cells.join('\t')).join('\n')}\n`, {
    batchBytes: 1 << 20,
  })
  expect(written(batch!)).toBe(expected(batch!))
  const [small] = batchesOf(
    `text\tint32\n${rows
      .slice(0, 3)
      .map(cells => cells.join('\t'))
      .join('\n')}\n`,
    {
      batchBytes: 1 << 20,
    },
  )
  expect(written(small!)).toBe(expected(small!))
})

test('a sink writes cells that are decoded, and asks for those that only the host writes', () => {
  const [batch] = batchesOf('text\tint32\na\t1\n')
  const asked: string[] = []
  const rows = {
    cellOf: (row: { text(name: string): string }, name: string) => {
      asked.push(name)
      return row.text(name) === '' ? null : `of ${name}`
    },
  }
  const decoded = batch!.withDecoded(0, () => 'other')
  const out = new TextBuffer()
  const lines = sinkRows(batch!.header, sqlColumns, rows as never)
  lines.text.write(decoded, out)
  expect(out.view().toString()).toBe('of text\t1\n')
  expect(asked).toEqual(['text'])
})

test('bytes that are no UTF-8, and a column of a kind that only the host writes', () => {
  const bytes = Buffer.concat([
    Buffer.from('text\tint32\tfloat64\tjson\na\\'),
    Buffer.from([0xff, 0xc3]),
    Buffer.from('\t1\t1.5e3\t{"b":"\\u0000\\\\"}\nb\tx\t2\t[]\n'),
  ])
  for (const from of [bytes, Buffer.from(bytes.toString())])
    for (const batch of batchesOf(from, { invalidUtf8: 'replace' }))
      expect(written(batch)).toBe(expected(batch))
})
