import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { TsvParser } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import { int32, text } from '../../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../../src/engine/schema/feed-schema'
import {
  anyColumns,
  cellDialect,
  everyByte,
  readAll,
  richCell,
  tsv,
  written,
  writtenIn,
} from '../../../tsv-text'
import { READINGS, readingSo } from './reading'

const work = vi.hoisted(() => ({ bytes: 0 }))
vi.mock('../../../../src/engine/codec/tsv/read-row', async original => {
  const module = await original<typeof import('../../../../src/engine/codec/tsv/read-row')>()
  const readRow: typeof module.readRow = (block, from, to, options) => {
    const reading = module.readRow(block, from, to, options)
    work.bytes +=
      (reading.kind === 'row' ? reading.next : reading.kind === 'bad' ? reading.readTo : to) - from
    return reading
  }
  return { ...module, readRow }
})

const cells = (text: string) => readAll(`a\tb\n${text}`).rows
const codes = (text: string) => readAll(`a\tb\n${text}`).bad.map(bad => bad.code)
const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (FeedError.is(error)) return error.code
    throw error
  }
  return 'none'
}

describe('the dialect', () => {
  test('fault 53: \\" and \\\\ are undone, also at the end of a value', () => {
    expect(cells(String.raw`"a \"b\" c"	1`)).toEqual([['a "b" c', '1']])
    expect(cells(String.raw`"a\\b"	1`)).toEqual([['a\\b', '1']])
    expect(cells(String.raw`"a\\\"b"	1`)).toEqual([['a\\"b', '1']])
    expect(cells(`${String.raw`"ends in \\"	1`}\n"next"\t2\n`)).toEqual([
      ['ends in \\', '1'],
      ['next', '2'],
    ])
  })

  test('fault 54: a lone backslash inside quotes is kept as written', () => {
    expect(cells('"a\\xb\\n"\t\\')).toEqual([[String.raw`a\xb\n`, '\\']])
  })

  test('fault 55: a backslash outside quotes is literal', () => {
    expect(cells('C:\\dir\\\t\\"\\\\\n')).toEqual([['C:\\dir\\', '\\"\\\\']])
  })

  test('fault 56: "" is an empty value, "a"x is a bad row', () => {
    expect(cells('""\t1\n')).toEqual([['', '1']])
    expect(codes('"a"x\t1\nb\t2\n')).toEqual(['TSV_QUOTE_TRAILING_TEXT'])
    expect(cells('"a"x\t1\nb\t2\n')).toEqual([['b', '2']])
    expect(codes('""""\t1\n')).toEqual(['TSV_QUOTE_TRAILING_TEXT'])
  })

  test('fault 57: a quote in the middle of an unquoted cell is literal', () => {
    expect(cells('5" pipe\tx"\n')).toEqual([['5" pipe', 'x"']])
  })

  test('fault 58: tab, LF and CRLF inside quotes are kept', () => {
    expect(cells('"a\tb\nc\r\nd"\t"\n"\r\n1\t2\n')).toEqual([
      ['a\tb\nc\r\nd', '\n'],
      ['1', '2'],
    ])
  })

  test('fault 59: CRLF files, a lone CR and CR CR LF give no duplicate and no phantom rows', () => {
    expect(readAll('a\tb\r\n1\t2\r\n"3"\t"4"\r\n').rows).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(cells('x\ry\t\r\n1\t2\r\r\n3\t4\r')).toEqual([
      ['x\ry', ''],
      ['1', '2\r'],
      ['3', '4\r'],
    ])
  })

  test('fault 60: a quote never closed costs one row, not the file', () => {
    const { rows, bad } = readAll('a\tb\n1\t2\n3\t"open\n5\t6\n7\t8\n')
    expect(rows).toEqual([
      ['1', '2'],
      ['5', '6'],
      ['7', '8'],
    ])
    expect(bad).toMatchObject([
      {
        code: 'TSV_QUOTE_UNCLOSED',
        position: { row: 2, line: 3, byteOffset: 8, excerpt: '3\t"open' },
      },
    ])
    expect(Buffer.from(bad[0]!.bytes).toString()).toBe('3\t"open\n')
  })

  test('fault 60: a backslash at the end of the file inside quotes', () => {
    expect(codes('1\t2\n3\t"x\\')).toEqual(['TSV_QUOTE_UNCLOSED'])
    expect(cells('1\t2\n3\t"x\\')).toEqual([['1', '2']])
  })

  test('fault 60: a stray quote that meets the quote of another row costs one row', () => {
    const { rows, bad } = readAll('a\tb\n"open\t1\n2\tx\n"3"\ty\n"\t"\tz\n')
    expect(rows).toEqual([
      ['2', 'x'],
      ['3', 'y'],
      ['\t', 'z'],
    ])
    expect(bad.map(row => row.code)).toEqual(['TSV_QUOTE_TRAILING_TEXT'])
  })

  test('fault 60: a stray quote costs one row wherever the longest row is cut', () => {
    for (let length = 0; length < 80; length++) {
      const text = `a\tb\n1\t"${'x'.repeat(length)}\n2\tx\n3\t"y" y\n4\tz\n`
      for (const way of READINGS) {
        const options = { maxRowBytes: 64, batchBytes: 64 }
        const { rows, bad } = readingSo(way, () => readAll(text, options))
        expect(rows).toEqual([
          ['2', 'x'],
          ['4', 'z'],
        ])
        expect(bad.map(({ position }) => position.row)).toEqual([1, 3])
      }
    }
  })

  test.each([
    ['too many cells', 'a\t"two\nlines"\t1\tx\n', 'TSV_ROW_LONG'],
    ['too many cells, the last one quoted', 'a\tb\t1\t"two\r\n\nlines"\n', 'TSV_ROW_LONG'],
    ['too few cells', '"open\t1\n2\tx\t3\n4\t5"\tb\n', 'TSV_ROW_SHORT'],
    ['text behind a quote', '"x"y\tb\t"two\nlines"\n', 'TSV_QUOTE_TRAILING_TEXT'],
    ['text behind a later quote', '"two\nlines"\tb\t"x"y\n', 'TSV_QUOTE_TRAILING_TEXT'],
    ['a later quote that never closes', '"two\nlines"\t"x\tb\n', 'TSV_QUOTE_UNCLOSED'],
    ['bytes that are not UTF-8', '"two\nlines"\t\xff\t1\n', 'TSV_UTF8_INVALID'],
  ])('fault 106: nothing inside a bad row becomes a row: %s', (_, row, code) => {
    const good = ['b\tB\t2\n', 'c\tC\t3\n'] as const
    const bytes = Buffer.from(`i\tt\tp\n${good[0]}${row}${good[1]}`, 'latin1')
    const whole = readingSo('row by row', () => readAll(bytes))
    expect(whole.rows.map(([first]) => first)).toEqual(['b', 'c'])
    expect(whole.bad.map(bad => bad.code)).toEqual([code])
    expect(Buffer.from(whole.bad[0]!.bytes).toString('latin1')).toBe(row)
    const options = { batchBytes: 64 }
    expect(readAll(bytes, options, everyByte(bytes.length))).toEqual(whole)
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(readingSo('row by row', () => readAll(bytes, options, [cut]))).toEqual(whole)
  })

  test('fault 61: a giant row or cell is capped, typed, and the next row is read', () => {
    const giant = 'x'.repeat(5000)
    const { rows, bad } = readAll(`a\tb\n${giant}\t1\n2\t3\n"${giant}"\t4\n5\t6\n`, {
      maxRowBytes: 1024,
      batchBytes: 64,
    })
    expect(rows).toEqual([
      ['2', '3'],
      ['5', '6'],
    ])
    expect(bad.map(row => [row.code, row.position.row, row.position.line])).toEqual([
      ['TSV_ROW_TOO_LARGE', 1, 2],
      ['TSV_QUOTE_UNCLOSED', 3, 4],
    ])
    expect(bad[0]!.bytes.length).toBe(1024)
  })

  test('fault 61: the cap counts the line end and is exact, whatever the block size', () => {
    const row = `${'x'.repeat(98)}\t\n`
    for (const batchBytes of [64, 128, 1 << 16]) {
      expect(readAll(`a\tb\n${row}`, { maxRowBytes: 100, batchBytes }).rows).toHaveLength(1)
      expect(
        readAll(`a\tb\n${row}`, { maxRowBytes: 99, batchBytes }).bad.map(bad => bad.code),
      ).toEqual(['TSV_ROW_TOO_LARGE'])
    }
  })

  test('fault 62: UTF-8 cut at every byte is exact', () => {
    const text = 'a\tb\nÄpfel 漢字 😀\t"é\\"ü"\nplain\tß\n'
    const bytes = Buffer.from(text)
    const whole = readAll(text)
    expect(whole.rows[0]).toEqual(['Äpfel 漢字 😀', 'é"ü'])
    for (let cut = 0; cut <= bytes.length; cut++) expect(readAll(text, {}, [cut])).toEqual(whole)
    expect(readAll(text, {}, everyByte(bytes.length))).toEqual(whole)
  })

  test('fault 63: bytes that are not UTF-8 are a bad row, or replaced and counted', () => {
    const bytes = Buffer.concat([
      Buffer.from('a\tb\n1\té\n2\t'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('\n3\t4\n'),
    ])
    const { rows, bad } = readAll(bytes)
    expect(rows).toEqual([
      ['1', 'é'],
      ['3', '4'],
    ])
    expect(bad).toMatchObject([
      { code: 'TSV_UTF8_INVALID', position: { row: 2, line: 3, byteOffset: 9 } },
    ])
    const parser = new TsvParser({ schema: anyColumns, invalidUtf8: 'replace' })
    const read = [...parser.push(bytes), ...parser.end()].flatMap(batch =>
      [...batch].map(row => row.text('b')),
    )
    expect(read).toEqual(['é', '\ufffd(', '4'])
    expect(parser.replacedRows).toBe(1)
    const strict = new TsvParser({ schema: anyColumns })
    const handed: string[] = []
    expect(
      codeOf(() => {
        for (const batch of strict.push(bytes)) handed.push(String(batch.length))
        for (const batch of strict.end()) handed.push(String(batch.length))
      }),
    ).toBe('TSV_UTF8_INVALID')
    expect(handed).toEqual(['1'])
  })

  test('fault 64: a byte order mark, whole or split, is stripped once', () => {
    const bytes = Buffer.from('\ufeffa\tb\n\ufeff1\t2\n')
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(readAll(bytes, {}, [cut]).rows).toEqual([['\ufeff1', '2']])
    const parser = new TsvParser({ schema: anyColumns })
    const batches = [...parser.push(bytes), ...parser.end()]
    expect(batches[0]!.header.columns[0]!.name).toBe('a')
    expect(batches[0]!.row(0).position).toMatchObject({ row: 1, line: 2, byteOffset: 7 })
  })

  test('fault 65: NUL is kept', () => {
    expect(cells('a\0b\t\0\n')).toEqual([['a\0b', '\0']])
  })

  test('fault 66: short, long and blank rows go by onBadRow, with row, line and offset', () => {
    const text = 'a\tb\n1\n\n1\t2\t3\n"x\ny"\t2\n4\n'
    const { rows, bad } = readAll(text)
    expect(rows).toEqual([['x\ny', '2']])
    expect(
      bad.map(({ code, position }) => [code, position.row, position.line, position.byteOffset]),
    ).toEqual([
      ['TSV_ROW_SHORT', 1, 2, 4],
      ['TSV_ROW_BLANK', 2, 3, 6],
      ['TSV_ROW_LONG', 3, 4, 7],
      ['TSV_ROW_SHORT', 5, 7, 21],
    ])
    const skipping = new TsvParser({ schema: anyColumns, onBadRow: 'skip' })
    expect(
      [...skipping.push(Buffer.from(text)), ...skipping.end()].reduce(
        (sum, batch) => sum + batch.length,
        0,
      ),
    ).toBe(1)
    expect(skipping.badRows).toBe(4)
    expect(codeOf(() => readAll(text, { onBadRow: 'throw' }))).toBe('TSV_ROW_SHORT')
  })

  test('fault 66: the rows before a bad row are handed over before it throws', () => {
    const parser = new TsvParser({ schema: anyColumns })
    const rows: string[] = []
    const run = () => {
      for (const batch of parser.push(Buffer.from('a\tb\n1\t2\n3\t4\nbad\n')))
        for (const row of batch) rows.push(row.text('a'))
      for (const batch of parser.end()) for (const row of batch) rows.push(row.text('a'))
    }
    expect(codeOf(run)).toBe('TSV_ROW_SHORT')
    expect(rows).toEqual(['1', '3'])
  })

  test('fault 67: no final line end gives the row; a header alone no rows; nothing at all is typed', () => {
    expect(cells('1\t2')).toEqual([['1', '2']])
    expect(cells('1\t')).toEqual([['1', '']])
    expect(readAll('a\tb\n')).toEqual({ rows: [], bad: [] })
    expect(readAll('a\tb')).toEqual({ rows: [], bad: [] })
    expect(codeOf(() => readAll(''))).toBe('TSV_EMPTY')
    expect(codeOf(() => readAll('\ufeff'))).toBe('TSV_EMPTY')
    expect(codeOf(() => readAll('\n1\t2\n'))).toBe('TSV_HEADER_INVALID')
  })

  test('fault 68: columns are bound by name: missing, repeated, reordered, extra', () => {
    const schema = defineSchema({
      name: 'item',
      columns: {
        itemId: text({ required: true }),
        gtin: text({ aliases: ['the service'] }),
        quantity: int32(),
      },
    })
    const rowOf = (text: string) => {
      const parser = new TsvParser({ schema })
      return [...parser.push(Buffer.from(text)), ...parser.end()][0]!.row(0)
    }
    const reordered = rowOf('QUANTITY\textra\tThe Service\tItemId\n7\tx\t0123\tv1|1|0\n')
    expect([
      reordered.get('itemId'),
      reordered.get('gtin'),
      reordered.get('quantity'),
      reordered.get('extra' as string),
    ]).toEqual(['v1|1|0', '0123', 7, 'x'])
    const lacking = rowOf('itemId\nv1|1|0\n')
    expect([lacking.get('gtin'), lacking.get('quantity'), lacking.text('gtin')]).toEqual([
      null,
      null,
      '',
    ])
    expect(codeOf(() => lacking.get('nowhere' as string))).toBe('COLUMN_UNKNOWN')
    expect(codeOf(() => rowOf('gtin\n1\n'))).toBe('TSV_COLUMN_MISSING')
    expect(codeOf(() => rowOf('itemId\titemid\n1\t2\n'))).toBe('TSV_COLUMN_REPEATED')
    const twice = rowOf('itemId\tx\tx\tgtin\tGTIN\n1\t2\t3\t4\t5\n')
    expect([
      twice.get('x' as string),
      twice.get('x#2' as string),
      twice.get('gtin'),
      twice.get('GTIN' as string),
    ]).toEqual(['2', '3', '4', '5'])
  })

  test('fault 69: columns named __proto__ and constructor are plain data', () => {
    const parser = new TsvParser({ schema: anyColumns })
    const [batch] = [
      ...parser.push(Buffer.from('__proto__\tconstructor\ttoString\nx\ty\tz\n')),
      ...parser.end(),
    ]
    const row = batch!.row(0)
    for (const object of [row.toObject() as Record<string, unknown>, row.toStrings()]) {
      expect(Object.entries(object)).toEqual([
        ['__proto__', 'x'],
        ['constructor', 'y'],
        ['toString', 'z'],
      ])
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
    }
    expect(row.get('__proto__')).toBe('x')
    expect(codeOf(() => row.get('hasOwnProperty'))).toBe('COLUMN_UNKNOWN')
  })

  const hostile: Record<string, (size: number) => string> = {
    'an open quote a line': size => 'x\t"aaaa\n'.repeat(size / 8),
    'quotes that close on the next line': size => '\t"\n'.repeat(size / 3),
    'quoted line ends in endless cells': size => '"\n"\t'.repeat(size / 4),
    'one open quote': size => `"${'a\n'.repeat(size / 2)}`,
    'escaped quotes': size => `"${'\\"\n'.repeat(size / 3)}`,
    'blank lines': size => '\n'.repeat(size),
    'one endless line': size => 'x'.repeat(size),
    'endless cells': size => '\t'.repeat(size),
  }
  test.each(Object.entries(hostile))('fault 70: linear work on %s', (_, make) => {
    const workFor = (size: number) => {
      work.bytes = 0
      readAll(`a\tb\tc\n${make(size)}`, {
        onBadRow: 'skip',
        maxRowBytes: 1 << 16,
        batchBytes: 1 << 12,
      })
      return work.bytes / size
    }
    workFor(1 << 14)
    expect(workFor(1 << 18)).toBeLessThan(8)
    expect(workFor(1 << 20)).toBeLessThan(8)
  })

  test.each([
    ['64 MB of open quotes', 64, 'x\t"aaaa\n\\"\t"\n'],
    ['4 MB of quoted cells without a line end', 4, '"a"\t'],
  ])('fault 70: %s ends', (_, megabytes, hostileText) => {
    const block = Buffer.from(hostileText.repeat(1 << 16))
    const parser = new TsvParser({ schema: anyColumns, onBadRow: 'skip' })
    let rows = 0
    const take = (batches: Iterable<{ length: number }>) => {
      for (const batch of batches) rows += batch.length
    }
    take(parser.push(Buffer.from('a\tb\n')))
    for (let sent = 0; sent < megabytes << 20; sent += block.length) take(parser.push(block))
    take(parser.end())
    expect(rows + parser.badRows).toBeGreaterThan(0)
  })
})

test('the file may be told when the header is read, once', () => {
  const asked: number[] = []
  let read = 0
  const file = () => {
    asked.push(read)
    return { feed: 'item', date: '20260301' } as const
  }
  const parser = new TsvParser({
    schema: defineSchema({ name: 'other', columns: {} }),
    file,
    batchBytes: 64,
  })
  const batches = []
  for (const byte of Buffer.from(`a\tb\n${'1\t2\n'.repeat(100)}`)) {
    read++
    batches.push(...parser.push(Uint8Array.of(byte)))
  }
  batches.push(...parser.end())
  expect(asked).toEqual([64])
  expect(batches.length).toBeGreaterThan(3)
  expect(batches.every(batch => batch.file.date === '20260301')).toBe(true)
})

describe('laws', () => {
  const table = fc.integer({ min: 1, max: 5 }).chain(columns =>
    fc.array(fc.array(richCell, { minLength: columns, maxLength: columns }), {
      minLength: 1,
      maxLength: 12,
    }),
  )

  test('what was written is read, whatever the cuts and the block size', () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom(64, 256, 1 << 18),
        fc.infiniteStream(fc.nat(200)),
        (rows, lineEnd, batchBytes, cuts) => {
          const header = rows[0]!.map((_, at) => `c${at}`)
          const text = tsv([header, ...rows], lineEnd)
          const size = Buffer.byteLength(text)
          const places = [...cuts.take(10)].map(cut => cut % (size + 1)).sort((a, b) => a - b)
          // A plain cell that ends in CR before LF cannot be told from CRLF, so `written` quotes
          // every CR.
          expect(readAll(text, { batchBytes }, places)).toEqual({ rows, bad: [] })
        },
      ),
      { numRuns: 200 },
    )
  })

  test('csv-parse agrees', () => {
    fc.assert(
      fc.property(table, rows => {
        const text = tsv([rows[0]!.map((_, at) => `c${at}`), ...rows])
        const options = {
          delimiter: '\t',
          quote: '"',
          escape: '\\',
          record_delimiter: ['\n', '\r\n'],
          relax_quotes: true,
          from: 2,
        }
        const oracle = parse(text, options) as unknown as string[][]
        expect(readAll(text).rows).toEqual(oracle)
      }),
      { numRuns: 150 },
    )
  })

  test.each(READINGS)('fault 106: csv-parse agrees about rows of any number of cells (%s)', way => {
    const ragged = fc.array(fc.array(richCell, { minLength: 1, maxLength: 5 }), { maxLength: 12 })
    const cut = fc.record({ columns: fc.integer({ min: 1, max: 4 }), at: fc.nat(300) })
    fc.assert(
      fc.property(ragged, cellDialect, cut, (rows, quotes, { columns, at }) => {
        const dialect = { ...quotes, delimiter: '\t' }
        fc.pre(dialect.quoting !== 'none')
        const line = (cells: readonly string[]) =>
          `${cells.map(cell => writtenIn(dialect, cell)).join('\t')}\n`
        const oracle = parse(rows.map(line).join(''), {
          delimiter: '\t',
          escape: dialect.quoting === 'doubled' ? '"' : '\\',
          record_delimiter: '\n',
          relax_quotes: true,
          relax_column_count: true,
        }) as unknown as string[][]
        expect(oracle).toEqual(rows)
        const header = [Array.from({ length: columns }, (_, n) => `c${n}`)]
        const bytes = Buffer.from([...header, ...rows].map(line).join(''))
        const options = { dialect, batchBytes: 64 }
        const cuts = [Math.min(at, bytes.length)]
        const found = readingSo(way, () => readAll(bytes, options, cuts))
        expect(found.rows).toEqual(oracle.filter(cells => cells.length === columns))
        const left = found.bad.map(bad => Buffer.from(bad.bytes).toString())
        expect(left).toEqual(rows.filter(cells => cells.length !== columns).map(line))
        const skipped = readingSo(way, () => readAll(bytes, { ...options, onBadRow: 'skip' }))
        expect(skipped.rows).toEqual(found.rows)
      }),
      { numRuns: 75 },
    )
  })

  test('any bytes: the same rows and the same bad rows for every cut; nothing vanishes', () => {
    const soup = fc.array(
      fc.constantFrom(
        'a',
        '"',
        '\\',
        '\t',
        '\n',
        '\r',
        '\t',
        '\n',
        'é',
        '"\t',
        '\t"',
        '"\n',
        '\\"',
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(
        soup,
        fc.constantFrom(64, 128),
        fc.constantFrom(64, 1 << 20),
        fc.infiniteStream(fc.nat(200)),
        (parts, batchBytes, maxRowBytes, cuts) => {
          const bytes = Buffer.from(`a\tb\n${parts.join('')}`)
          const whole = readAll(bytes, { maxRowBytes, batchBytes })
          const places = [...cuts.take(10)]
            .map(cut => cut % (bytes.length + 1))
            .sort((a, b) => a - b)
          expect(readAll(bytes, { maxRowBytes, batchBytes }, places)).toEqual(whole)
          expect(readAll(bytes, { maxRowBytes, batchBytes: 1 << 18 })).toEqual(whole)
          const lines = bytes.toString().split('\n').length - 1 + (bytes.at(-1) === 10 ? 0 : 1)
          const left = whole.bad.map(bad => Buffer.from(bad.bytes).toString().replace(/\n$/, ''))
          const inner = [...whole.rows.flat(), ...left].join('').split('\n').length - 1
          expect(whole.rows.length + whole.bad.length + inner).toBe(lines - 1)
        },
      ),
      { numRuns: 400 },
    )
  })

  test("positions: the bytes at a row's offset are that row, and its line is the number of line ends before it", () => {
    fc.assert(
      fc.property(table, fc.constantFrom(64, 1 << 18), (rows, batchBytes) => {
        const bytes = Buffer.from(tsv([rows[0]!.map((_, at) => `c${at}`), ...rows]))
        const parser = new TsvParser({ schema: anyColumns, batchBytes })
        let n = 0
        const batches = [...parser.push(bytes), ...parser.end()]
        for (const batch of batches) {
          for (const row of batch) {
            const { row: number, line, byteOffset } = row.position
            expect(number).toBe(++n)
            expect(
              bytes
                .subarray(byteOffset)
                .toString()
                .startsWith(rows[n - 1]!.map(written).join('\t')),
            ).toBe(true)
            expect(bytes.subarray(0, byteOffset).filter(byte => byte === 10).length + 1).toBe(line)
            expect(row.detach().position).toEqual(row.position)
            expect(row.detach().toStrings()).toEqual(row.toStrings())
          }
        }
        expect(batches.every(batch => batch.confirmed)).toBe(true)
      }),
      { numRuns: 75 },
    )
  })

  test('a batch is not confirmed before the end', () => {
    const parser = new TsvParser({ schema: anyColumns, batchBytes: 64 })
    const batches = [...parser.push(Buffer.from(`a\n${'12345678\n'.repeat(20)}`))]
    expect(batches.length).toBeGreaterThan(1)
    expect(batches.some(batch => batch.confirmed)).toBe(false)
    batches.push(...parser.end())
    expect(batches.every(batch => batch.confirmed)).toBe(true)
  })

  test("a batch keeps its bytes when the parser goes on, and the caller's buffer is free after push", () => {
    const parser = new TsvParser({ schema: anyColumns, batchBytes: 64 })
    const reused = Buffer.from('a\n')
    const batches = [...parser.push(reused)]
    for (let n = 0; n < 40; n++) {
      const chunk = Buffer.from(`row-${String(n).padStart(4, '0')}\n`)
      batches.push(...parser.push(chunk))
      chunk.fill(0)
    }
    batches.push(...parser.end())
    expect(batches.flatMap(batch => [...batch].map(row => row.text('a')))).toEqual(
      Array.from({ length: 40 }, (_, n) => `row-${String(n).padStart(4, '0')}`),
    )
  })
})
