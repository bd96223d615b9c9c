// The law of a quarantine: each byte of a file is in its start, in a row that was kept, or in the
// quarantine, exactly once.
// Long: it cuts files at every byte.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mendedRows } from '../../../../src/engine/codec/quarantine/mended-rows'
import {
  type QuarantinedRow,
  QuarantineReader,
  recordLine,
  rowLine,
} from '../../../../src/engine/codec/quarantine/quarantine-records'
import type {
  LeftOutBytes,
  RowQuarantine,
} from '../../../../src/engine/codec/quarantine/row-quarantine'
import { type Dialect, rulesOf } from '../../../../src/engine/codec/tsv/dialect'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import {
  COLUMNS,
  damaged,
  damages,
  joined,
  type Part,
  pieces,
  wellFormed,
} from '../../quarantine/damaged'
import { READINGS, type Reading, readingSo } from '../tsv/reading'

const schema = defineSchema<Columns>({ name: 'any', columns: {} })

/** A quarantine in memory that keeps what it is given, and its lines. */
class Kept implements RowQuarantine {
  readonly parts: (Part & { row: number; line: number; code: string | undefined })[] = []
  text = ''

  take(leftOut: LeftOutBytes): void {
    const { position, bytes, reason } = leftOut
    const { row, line, byteOffset } = position
    this.parts.push({ row, line, byteOffset, code: reason?.code, bytes: Uint8Array.from(bytes) })
    this.text += (this.text === '' ? recordLine(leftOut.of) : '') + rowLine(leftOut)
  }

  get rows(): number {
    return this.parts.filter(({ code }) => code !== undefined).length
  }

  settle(): undefined {}
  flush(): undefined {}

  /** The rows as a reader of the lines finds them. */
  read(most: number): QuarantinedRow[] {
    const reader = new QuarantineReader('test')
    const rows: QuarantinedRow[] = []
    for (const piece of pieces(Buffer.from(this.text), most)) rows.push(...reader.push(piece))
    return [...rows, ...reader.end()]
  }
}

interface Parsed {
  readonly kept: Kept
  readonly rows: (Part & { row: number; line: number; cells: string[] })[]
  readonly parser: TsvParser<Columns>
}

function parsed(
  bytes: Uint8Array,
  most: number,
  {
    way = 'by the scanner',
    ...options
  }: Partial<TsvParserOptions<Columns>> & { way?: Reading } = {},
): Parsed {
  const kept = new Kept()
  const parser = new TsvParser<Columns>({ schema, onBadRow: kept, ...options })
  const rows: Parsed['rows'] = []
  const take = (batches: ReturnType<typeof parser.push>) => {
    for (const batch of batches)
      for (const each of batch) {
        const { row, line, byteOffset } = each.position
        const cells = batch.header.columns.map(({ name }) => each.text(name))
        rows.push({ row, line, byteOffset, cells, bytes: Uint8Array.from(batch.lineOf(each.slot)) })
      }
  }
  readingSo(way, () => {
    for (const piece of pieces(bytes, most)) take(parser.push(piece))
    take(parser.end())
  })
  return { kept, rows, parser }
}

const sizes = fc.record({
  most: fc.integer({ min: 1, max: 700 }),
  maxRowBytes: fc.constantFrom(64, 100, 1 << 20),
  batchBytes: fc.constantFrom(64, 256, 1 << 16),
  way: fc.constantFrom(...READINGS),
})

describe('for random damage', () => {
  test('fault 126: the start, the kept rows and the quarantined rows are the bytes of the file, in its order', () => {
    fc.assert(
      fc.property(wellFormed, damages, sizes, (lines, damage, { most, ...options }) => {
        const bytes = damaged(lines, damage)
        const { kept, rows, parser } = parsed(bytes, most, options)
        const start = { byteOffset: 0, bytes: bytes.subarray(0, Buffer.byteLength(lines[0]!)) }
        expect(joined([start, ...rows, ...kept.parts])).toEqual(bytes)
        expect(parser.rowsRead).toBe(rows.length + kept.rows)
        expect(parser.badRows).toBe(kept.rows)
        const numbers = [...rows, ...kept.parts.filter(({ code }) => code !== undefined)]
        expect(numbers.map(({ row }) => row).sort((a, b) => a - b)).toEqual(
          numbers.map((_, n) => n + 1),
        )
        for (const { byteOffset, line } of [...rows, ...kept.parts])
          expect(line).toBe(bytes.subarray(0, byteOffset).toString('latin1').split('\n').length)
      }),
      { numRuns: 200 },
    )
  })

  test('the same rows are quarantined behind a projection', () => {
    fc.assert(
      fc.property(wellFormed, damages, sizes, (lines, damage, { most, ...options }) => {
        const bytes = damaged(lines, damage)
        const whole = parsed(bytes, most, options)
        const projected = parsed(bytes, most, { ...options, columns: ['title'] })
        // The blocks are larger, so the parts of a long row are others.
        const quarantined = ({ kept }: Parsed) =>
          kept
            .read(1000)
            .map(({ row, code, bytes: rowBytes }) => [row, code, Buffer.from(rowBytes)] as const)
            .sort(([a], [b]) => a - b)
        expect(quarantined(projected)).toEqual(quarantined(whole))
        expect(projected.rows.map(({ byteOffset }) => byteOffset)).toEqual(
          whole.rows.map(({ byteOffset }) => byteOffset),
        )
      }),
      { numRuns: 100 },
    )
  })

  test('the lines have the same bytes again, however they are cut', () => {
    fc.assert(
      fc.property(wellFormed, damages, sizes, (lines, damage, { most, ...options }) => {
        const { kept } = parsed(damaged(lines, damage), 1000, options)
        const read = kept.read(most)
        expect(read).toHaveLength(kept.rows)
        for (const { row, bytes, of, code } of read) {
          const parts = kept.parts.filter(part => part.row === row)
          expect(Buffer.from(bytes)).toEqual(Buffer.concat(parts.map(part => part.bytes)))
          expect(code).toBe(parts[0]!.code)
          expect(of).toMatchObject({ file: { feed: 'any' }, columns: COLUMNS })
        }
      }),
      { numRuns: 100 },
    )
  })

  test('the undamaged rows in place of the quarantined ones are the rows of the undamaged file', () => {
    // Each fault is one that no reader can take for a row.
    const faults = fc.constantFrom<(line: string) => Buffer>(
      line => Buffer.from(line.replace('\t', '')),
      line => Buffer.from(line.replace('\t', '\t"\\"')),
      line => Buffer.from(`more\t\tcells\t${line}`),
      line => Buffer.from(line.replace('\t', `\t${'x'.repeat(200)}`)),
      line => Buffer.concat([Buffer.of(0xff), Buffer.from(line)]),
    )
    const flat = wellFormed.map(lines => lines.filter(line => !line.includes('"')))
    const each = fc.array(fc.option(faults, { nil: undefined }), { minLength: 31, maxLength: 31 })
    fc.assert(
      fc.property(flat, each, sizes, (lines, faultOf, { most, batchBytes, way }) => {
        const options = { maxRowBytes: 120, batchBytes, way }
        const [header = '', ...rows] = lines
        const broken = rows.map((row, n) => faultOf[n]?.(row) ?? Buffer.from(row))
        const file = Buffer.concat([Buffer.from(header), ...broken])
        const { kept, rows: good } = parsed(file, most, options)
        const replayed = kept.read(500).flatMap(row => {
          const mended = { ...row, bytes: Buffer.from(rows[row.row - 1]!) }
          return [...mendedRows(mended, { schema })].flatMap(batch =>
            [...batch].map(each => ({
              row: each.position.row,
              cells: COLUMNS.map(name => each.text(name)),
            })),
          )
        })
        expect(kept.rows).toBe(rows.filter((_, n) => faultOf[n] !== undefined).length)
        const all = [...good.map(({ row, cells }) => ({ row, cells })), ...replayed]
        const undamaged = parsed(Buffer.from(lines.join('')), 1000, { onBadRow: 'throw' })
        expect(all.sort((a, b) => a.row - b.row)).toEqual(
          undamaged.rows.map(({ row, cells }) => ({ row, cells })),
        )
      }),
      { numRuns: 100 },
    )
  })
})

test('a parser that is given a row that is too long in two parts quarantines all of it once', () => {
  const bytes = Buffer.from(`a\tb\n1\t2\n${'x'.repeat(1000)}\n3\t4\n`)
  for (let cut = 9; cut < bytes.length; cut++) {
    const kept = new Kept()
    const parser = new TsvParser<Columns>({
      schema,
      onBadRow: kept,
      maxRowBytes: 64,
      batchBytes: 64,
    })
    const seen: string[] = []
    const take = (batches: ReturnType<typeof parser.push>) => {
      for (const batch of batches) for (const row of batch) seen.push(row.text('b'))
    }
    take(parser.push(bytes.subarray(0, cut)))
    take(parser.push(bytes.subarray(cut)))
    take(parser.end())
    expect(seen).toEqual(['2', '4'])
    expect(Buffer.concat(kept.parts.map(part => part.bytes)).toString()).toBe(
      `${'x'.repeat(1000)}\n`,
    )
    expect(kept.rows).toBe(1)
  }
})

test('a parser whose input begins in the middle of a file quarantines the rest of its bad rows, at their places in the file', () => {
  const lines = ['1\t2\n', 'short\n', `${'x'.repeat(300)}\n`, '"3\n"\t4\n', '\xff\t5\n', '\n']
    .flatMap(line => [line, line])
    .map(line => Buffer.from(line, 'latin1'))
  const options = { maxRowBytes: 64, batchBytes: 64 }
  const header = Buffer.from('a\tb\n')
  const whole = parsed(Buffer.concat([header, ...lines]), 1000, options).kept.read(1000)
  expect(whole.map(({ row }) => row)).toEqual([3, 4, 5, 6, 9, 10, 11, 12])
  for (const [n] of lines.entries()) {
    const before = Buffer.concat([header, ...lines.slice(0, n)])
    const position = {
      row: n + 1,
      line: before.toString('latin1').split('\n').length,
      byteOffset: before.length,
    }
    const { kept, parser } = parsed(Buffer.concat(lines.slice(n)), 50, {
      ...options,
      startsAt: { columnNames: ['a', 'b'], position },
    })
    const rest = whole.filter(({ row }) => row > n)
    expect(kept.read(1000)).toEqual(rest)
    expect([parser.badRows, parser.rowsRead]).toEqual([rest.length, lines.length])
  }
})

test.each<[string, Dialect]>([
  ['backslash', { delimiter: ';' }],
  ['doubled', { delimiter: ',', quoting: 'doubled' }],
  ['none', { delimiter: '|', quoting: 'none' }],
])('a replayed row has the quoting %s of its file', (_, dialect) => {
  const d = dialect.delimiter!
  const kept = new Kept()
  const parser = new TsvParser<Columns>({ schema, onBadRow: kept, dialect })
  expect([...parser.push(Buffer.from(`a${d}b\nx\n`)), ...parser.end()]).toEqual([])
  const [row] = kept.read(10)
  expect(row?.of.cells).toEqual(rulesOf(dialect, schema).cells)
  const text = dialect.quoting === 'doubled' ? `"1""2"${d}3\n` : `"1\\"2"${d}3\n`
  const value = [...mendedRows({ ...row!, bytes: Buffer.from(text) }, { schema })][0]!
    .row(0)
    .text('a')
  expect(value).toBe(dialect.quoting === 'none' ? '"1\\"2"' : '1"2')
})

test('comment lines before the header line are no quarantined bytes, whatever their length', () => {
  const text = `#${'c'.repeat(500)}\na\tb\n1\t2\n`
  const { kept, rows } = parsed(Buffer.from(text), 7, {
    dialect: { comment: '#' },
    maxRowBytes: 64,
    batchBytes: 64,
  })
  expect([kept.parts, rows.length]).toEqual([[], 1])
})

describe('a line that is no record is QUARANTINE_INVALID', () => {
  const file = '{"file":{"feed":"any"},"columns":["a"]}\n'
  const NO_TEXTS = 'code and message must be texts'
  /** An array that no call can turn into text. */
  const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)
  test.each([
    ['{"row":1', 1, 'it is no JSON'],
    ['7', 1, 'it is no record'],
    ['{"row":1,"line":2,"byteOffset":3,"text":""}', 1, 'the line of its file is not before it'],
    [
      `${file}{"row":"1","line":2,"byteOffset":3,"text":""}`,
      2,
      'row, line and byteOffset must be whole numbers',
    ],
    [`${file}{"row":1,"line":2,"byteOffset":3}`, 2, 'it has neither text nor base64'],
    [`${file}{"row":1,"line":2,"byteOffset":3,"text":"","code":7,"message":""}`, 2, NO_TEXTS],
    [`${file}{"row":1,"line":2,"byteOffset":3,"text":"","message":"","code":${DEEP}}`, 2, NO_TEXTS],
    [`${file}{"rest":true,"text":""}`, 2, 'the beginning of the row is not before it'],
  ])('case %#', (text, line, reason) => {
    const reader = new QuarantineReader('bad.ndjson')
    const read = () => [...reader.push(Buffer.from(text)), ...reader.end()]
    expect(read).toThrow(FeedError)
    const error = (() => {
      try {
        const again = new QuarantineReader('bad.ndjson')
        return [...again.push(Buffer.from(text)), ...again.end()]
      } catch (failure) {
        return failure
      }
    })() as FeedError
    expect([error.code, error.context]).toEqual([
      'QUARANTINE_INVALID',
      { path: 'bad.ndjson', line, reason },
    ])
  })
})
