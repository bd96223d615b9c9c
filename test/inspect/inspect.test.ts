// Long: it compares every figure with DuckDB, and measures memory.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorld, tsvBytes } from '../../src/emulator'
import { defineSchema } from '../../src/engine/schema/feed-schema'
import { cell, float64, int32, oneOf, TsvColumnParser, text } from '../../src/index'
import { type InspectReport, inspect } from '../../src/inspect'
import { DISTINCT_ERROR } from '../../src/inspect/columns/distinct-sketch'
import type { ColumnProfile } from '../../src/inspect/index'
import { Bad, schema as cellSchema, plainly, rowOfCells, types } from '../engine/codec/any-cells'
import { buildZip } from '../engine/codec/unpack/build-zip'
import { tsv } from '../tsv-text'
import { hasZstd, ZSTD_TABLE } from '../zstd'
import { type ColumnCount, DuckDb, naiveCounts, naiveRows, written } from './oracles'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
/** The gzip file of a large proof, which `npm run inspect:proof` names. */
const PROOF_FILE = process.env.FEEDMILL_INSPECT_FILE

/** The kinds of columns that have a range. */
const HAVE_RANGE = ['int32', 'int64', 'decimal', 'float64', 'date', 'timestamp']

let folder: string
let duckdb: DuckDb

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-inspect-'))
  duckdb = await DuckDb.open()
})
afterAll(() => rmSync(folder, { recursive: true }))

const bytesOf = (file: string) => {
  const bytes = readFileSync(join(FIXTURES, file))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** The rows of the tables of fixtures/README.md whose first heading is `file`. */
const [validFiles = [], malformedFiles = []] = [
  ...readFileSync(join(FIXTURES, 'README.md'), 'utf8').matchAll(/(?:^\| .*\n|^\|---.*\n)+/gm),
]
  .map(([table]) =>
    table
      .trimEnd()
      .split('\n')
      .map(line => line.slice(1, -1).split(/(?<!\\)\|/)),
  )
  .filter(([head]) => head?.[0]?.trim() === 'file')
  .map(([head = [], , ...lines]) =>
    lines.map(line =>
      Object.fromEntries(head.map((name, n) => [name.trim(), line[n]!.trim().replaceAll('`', '')])),
    ),
  )

/** What an oracle counts, out of a profile. */
function counted({ heading, empty, filled, distinct, bytes }: ColumnProfile): ColumnCount {
  return {
    name: heading,
    empty,
    filled,
    distinct,
    minBytes: bytes?.min ?? null,
    maxBytes: bytes?.max ?? null,
    meanBytes: bytes?.mean ?? null,
  }
}

function expectCounts(report: InspectReport, expected: readonly ColumnCount[]): void {
  expect(report.columns.map(counted)).toHaveLength(expected.length)
  for (const [n, column] of report.columns.entries()) {
    const { distinct, meanBytes, ...others } = expected[n]!
    expect(counted(column)).toMatchObject(others)
    if (meanBytes !== null) expect(column.bytes?.mean).toBeCloseTo(meanBytes, 6)
    if (column.distinctIsExact) expect(column.distinct).toBe(distinct)
    // Five standard errors: the hash has no randomness, so the result is always the same.
    else
      expect(Math.abs(column.distinct - distinct)).toBeLessThanOrEqual(
        Math.max(3, distinct * 5 * DISTINCT_ERROR),
      )
  }
}

/** DuckDB cannot express what these show. */
const NOT_FOR_DUCKDB = [
  // DuckDB takes a CR inside a line for a line end.
  'item/crlf.tsv',
  // Before other characters than a quote or a backslash, DuckDB drops the backslash.
  'item/quoted-titles.tsv',
]

describe('valid fixtures', () => {
  test.each(validFiles)('$file counts as the naive reader does', async ({ file, feed, rows }) => {
    const content = bytesOf(file!)
    const report = await inspect(join(FIXTURES, file!))
    expect(report).toMatchObject({ rows: Number(rows), failure: null, badRows: { count: 0 } })
    if (report.schema !== null) expect(report.schema).toBe(feed)
    expect(report.textBytes).toBe(content.length)
    expectCounts(report, naiveCounts(content.toString()))
    expect(report.columns.every(({ invalid }) => invalid === 0)).toBe(true)
  })

  test.each(validFiles.filter(({ file }) => !NOT_FOR_DUCKDB.includes(file!)))(
    '$file counts as DuckDB does',
    async ({ file }) => {
      const report = await inspect(join(FIXTURES, file!))
      const path = written(join(folder, 'fixture.tsv'), bytesOf(file!))
      const names = report.header!.columns
      expectCounts(report, await duckdb.counts({ path, names }))
    },
  )
})

describe('malformed fixtures', () => {
  test.each(malformedFiles)(
    '$file: $code',
    async ({ file, feed, code, row, line, byte, 'rows left': left }) => {
      const { schemaOf } = await import('../../src/index')
      const report = await inspect(join(FIXTURES, file!), { schema: schemaOf(feed as 'item') })
      const position = { row: Number(row), line: Number(line), byteOffset: Number(byte) }
      if (left !== '—') expect(report.rows).toBe(Number(left))
      if (code === 'CELL_INVALID') {
        const cells = report.columns.flatMap(({ invalidCells }) => invalidCells)
        expect(cells).toMatchObject([position])
        expect(report.columns.reduce((sum, { invalid }) => sum + invalid, 0)).toBe(1)
      } else if (code === 'TSV_COLUMN_MISSING')
        expect(report.header!.missing.filter(({ required }) => required)).toHaveLength(1)
      else if (code === 'TSV_COLUMN_REPEATED')
        expect(report.header!.repeated).toEqual([{ name: 'itemId', count: 2, required: true }])
      else if (left === '—') expect(report.failure?.code).toBe(code)
      else {
        expect(report.badRows).toMatchObject({
          count: 1,
          byCode: [{ code, count: 1 }],
          first: [{ ...position, code }],
        })
      }
    },
  )
})

describe('files of the world', () => {
  function feedBytes(items: number): Buffer {
    const world = createWorld({ seed: 11, items })
    const [marketplaceId, categoryId] = [
      world.options.marketplaces[0]!,
      world.options.categories[0]!,
    ]
    const content = tsvBytes(world, {
      feed: 'item',
      content: 'bootstrap',
      marketplaceId,
      categoryId,
      from: world.start,
      to: world.start,
    })
    return Buffer.concat([...content])
  }

  test('every figure of a large file is that of DuckDB', { timeout: 600_000 }, async () => {
    const path = PROOF_FILE ?? written(join(folder, 'world.tsv.gz'), gzipSync(feedBytes(8_000)))
    const report = await inspect(path)
    const names = report.header!.columns
    expect(report.failure).toBeNull()
    expect(report.rows).toBeGreaterThan(5_000)
    const file = { path, names }
    expectCounts(report, await duckdb.counts(file))
    for (const [at, column] of report.columns.entries()) await expectValues(at, column)
  })

  async function expectValues(at: number, column: ColumnProfile) {
    const { type, range, frequent, invalid, filled } = column
    const cast = { int32: 'INTEGER', decimal: 'DOUBLE', timestamp: 'TIMESTAMP' }[type as string]
    if (cast !== undefined) {
      const value = `try_cast(c${at} AS ${cast})`
      const shown = cast === 'TIMESTAMP' ? `epoch_ms(${value})` : value
      const [min, max, valid] = await duckdb.row([
        `min(${shown})`,
        `max(${shown})`,
        `count(${value})`,
      ])
      expect(filled - invalid).toBe(Number(valid))
      const numbers =
        range && [range.min, range.max].map(v => (typeof v === 'string' ? Date.parse(v) : v))
      expect(numbers).toEqual(min === null ? null : [Number(min), Number(max)])
    } else expect(invalid).toBe(0)
    for (const { value, count } of frequent?.values.slice(0, 3) ?? []) {
      const [exact] = await duckdb.row([
        `count(*) FILTER (c${at} = '${value.replaceAll("'", "''")}')`,
      ])
      expect(count).toBeLessThanOrEqual(Number(exact))
      expect(count).toBeGreaterThanOrEqual(Number(exact) - frequent!.lacking)
    }
  }
})

describe('the report', () => {
  const anyCell = fc.oneof(
    fc.constantFrom('', 'a', 'b', '12', '-3', 'ä', '"', 'x\ty', '\\', 'a\nb'),
    fc.string({ unit: 'grapheme', maxLength: 12 }).filter(value => !/[\r\0]/.test(value)),
  )
  const file = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.nat({ max: 30 }))
    .chain(([columns, rows]) =>
      fc.tuple(
        fc.constant(Array.from({ length: columns }, (_, n) => `c${n}`)),
        fc.array(fc.array(anyCell, { minLength: columns, maxLength: columns }), {
          maxLength: rows,
        }),
      ),
    )
    // A blank line is a bad row, and a row of one empty cell is one.
    .map(([names, rows]) => tsv([names, ...rows.filter(row => row.length > 1 || row[0] !== '')]))
  const schema = defineSchema({
    name: 'cells',
    columns: { c0: text(), c1: int32(), c2: oneOf('a', 'b') },
  })

  test('does not depend on how the input is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        async (content, isGzip, size) => {
          const bytes = isGzip ? gzipSync(content) : Buffer.from(content)
          const blocks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
            bytes.subarray(n * size, (n + 1) * size),
          )
          expect(await inspect(blocks, { schema })).toEqual(await inspect([bytes], { schema }))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('counts as the naive reader does, for any cells', async () => {
    await fc.assert(
      fc.asyncProperty(file, async content => {
        const report = await inspect([Buffer.from(content)], { schema: null })
        expect(report.rows).toBe(naiveRows(content).length - 1)
        expectCounts(report, naiveCounts(content))
      }),
      { numRuns: 100 },
    )
  })

  test('has the range of good doubles', async () => {
    const schema = defineSchema({ name: 'sizes', columns: { size: float64() } })
    const report = await inspect([Buffer.from('size\n2.5\n-1e3\n')], { schema })
    expect(report.columns[0]!.range).toEqual({ min: -1000, max: 2.5 })
  })

  test('has the bad cells and the range that the decoders of texts find', async () => {
    const shownOf = (value: unknown) =>
      typeof value === 'string'
        ? value
        : value instanceof Date
          ? value.toISOString()
          : Number(`${value}`) + 0
    await fc.assert(
      fc.asyncProperty(fc.array(rowOfCells, { minLength: 1, maxLength: 300 }), async rows => {
        const report = await inspect([Buffer.from(tsv([types, ...rows]))], { schema: cellSchema })
        for (const [at, name] of types.entries()) {
          const values = rows
            .map(row => row[at]!)
            .filter(text => text !== '')
            .map(text => plainly(name, text))
          const good = values.filter(value => !(value instanceof Bad))
          const column = report.columns[at]!
          expect([name, column.invalid]).toEqual([name, values.length - good.length])
          const shown = good.map(shownOf).sort((a, b) => (a < b ? -1 : 1))
          const hasRange = HAVE_RANGE.includes(name) && good.length > 0
          expect([name, column.range]).toEqual([
            name,
            hasRange ? { min: shown[0], max: shown.at(-1) } : null,
          ])
        }
      }),
      { numRuns: 60 },
    )
  })

  test('does not depend on what the functions of a schema do', async () => {
    const bytes = Buffer.from(tsv([['a', 'b'], ...[1, 2, 3, 4].map(n => [`x${n}`, `${n}`])]))
    const reportOf = (decode: (value: string) => string) =>
      inspect([bytes], {
        schema: defineSchema({ name: 'own', columns: { a: cell(decode), b: int32() } }),
      })
    const other = Buffer.from(tsv([['a'], ...Array.from({ length: 50 }, (_, n) => [`${n}`])]))
    const busy = await reportOf(value => {
      const parser = new TsvColumnParser()
      parser.end(other)
      expect(parser.read()).toHaveLength(50)
      return value
    })
    expect(busy).toEqual(await reportOf(value => value))
  })

  test('is JSON', async () => {
    const report = await inspect(join(FIXTURES, 'item/documented-columns.tsv.gz'))
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })

  test('has a sample with aspects and regions decoded', async () => {
    const { sample } = await inspect(join(FIXTURES, 'item/documented-columns.tsv.gz'), {
      sampleRows: 1,
    })
    const cells = new Map(sample[0]!.cells.map(({ column, text: shown }) => [column, shown]))
    expect(sample).toHaveLength(1)
    expect(cells.get('localizedAspects')).toMatch(/^\[?.+: /)
    expect(cells.get('shipToIncludedRegions')).toMatch(/^countries [A-Z]{2}/)
  })

  test('says which names are missing, unknown, renamed, deprecated, repeated or out of order', async () => {
    const columns = {
      key: text({ required: true }),
      name: text({ aliases: ['title'] }),
      old: text({ deprecated: 'ends soon' }),
      other: text(),
    }
    const own = defineSchema({ name: 'own', columns })
    const report = await inspect([Buffer.from('old\tTitle\tnew\tnew\n1\t2\t3\t4\n')], {
      schema: own,
    })
    expect(report.header).toEqual({
      columns: ['old', 'Title', 'new', 'new'],
      missing: [
        { name: 'key', required: true },
        { name: 'other', required: false },
      ],
      unknown: ['new'],
      renamed: [{ name: 'name', heading: 'Title' }],
      deprecated: [{ name: 'old', statement: 'ends soon' }],
      repeated: [{ name: 'new', count: 2, required: false }],
      isInOrder: false,
    })
  })

  test('counts empty cells of a notNull column as invalid', async () => {
    const own = defineSchema({ name: 'own', columns: { a: text(), b: int32({ notNull: true }) } })
    const { columns } = await inspect([Buffer.from('a\tb\nx\t1\ny\t\nz\t""\n')], { schema: own })
    expect(columns[1]).toMatchObject({ empty: 2, filled: 1, invalid: 2 })
    expect(columns[1]!.invalidCells.map(({ row }) => row)).toEqual([2, 3])
  })

  test('names the facts of gzip', async () => {
    const padded = await inspect(join(FIXTURES, 'gzip/gnu-gzip-padded.gz'), { schema: null })
    expect(padded.gzip).toMatchObject({
      members: 1,
      verifiedMembers: 1,
      paddingBytes: 300,
      name: null,
    })
    const named = await inspect(join(FIXTURES, 'gzip/gnu-gzip.gz'), { schema: null })
    const bytes = readFileSync(join(FIXTURES, 'gzip/gnu-gzip.gz'))
    expect(named.gzip).toMatchObject({
      name: 'content.tsv',
      modifiedAt: new Date(bytes.readUInt32LE(4) * 1000).toISOString(),
      compressedBytes: bytes.length,
    })
    const many = await inspect(join(FIXTURES, 'gzip/bgzf.gz'), { schema: null })
    expect(many.gzip!.members).toBe(many.gzip!.verifiedMembers)
    expect(many.gzip!.members).toBeGreaterThan(2)
  })

  test.each(readdirSync(join(FIXTURES, 'gzip')).filter(name => name.endsWith('.gz')))(
    'of %s has a failure where the file is not whole',
    async name => {
      const readme = readFileSync(join(FIXTURES, 'gzip/README.md'), 'utf8')
      const code = new RegExp(`^\\| \`${name}\`.*\\| (GZIP_\\w+) \\|`, 'm').exec(readme)?.[1]
      const report = await inspect(join(FIXTURES, 'gzip', name), { schema: null })
      // A file without the signature is read as text.
      if (name === 'not-gzip.gz') expect(report.gzip).toBeNull()
      else expect(report.failure?.code).toBe(code)
      if (code === 'GZIP_CRC_MISMATCH') expect(report.gzip!.verifiedMembers).toBe(0)
    },
  )
})

test('the memory does not grow with the rows', async () => {
  const line = Buffer.from(`${'v1|1|0\ta title of an item\t12\n'.repeat(2000)}`)
  async function* file(blocks: number) {
    yield Buffer.from('itemId\ttitle\testimatedAvailableQuantity\n')
    for (let n = 0; n < blocks; n++) yield line
  }
  await inspect(file(50))
  const held = async (blocks: number) => {
    let most = 0
    async function* watched() {
      for await (const block of file(blocks)) {
        globalThis.gc?.()
        const { heapUsed, external } = process.memoryUsage()
        most = Math.max(most, heapUsed + external)
        yield block
      }
    }
    await inspect(watched())
    return most
  }
  const [few, many] = [await held(5), await held(60)]
  expect(many).toBeLessThan(few + 4 * 2 ** 20)
})

test.each([
  [{ sampleRows: -1 }, 'sampleRows'],
  [{ name: '' }, 'name'],
  [{ schema: {} }, 'name'],
  [{ other: 1 }, 'other'],
])('wrong options are refused: %o', async (options, option) => {
  await expect(inspect([], options as never)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})

test('a source that cannot be read is a failure of the call', async () => {
  await expect(inspect(join(folder, 'none'))).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  await expect(inspect(['text'] as never)).rejects.toMatchObject({ code: 'STAGE_INPUT_INVALID' })
  const stopped = inspect([Buffer.from('a\n1\n')], { signal: AbortSignal.abort() })
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
})

test('a file of ZIP or Zstandard is unpacked, and the report says what it is', async () => {
  const zip = buildZip([
    { name: 'a.tsv', content: Buffer.from('id\tn\n1\t2\n'), descriptor: 'signed' },
  ])
  expect(await inspect([zip])).toMatchObject({
    format: 'zip',
    gzip: null,
    rows: 1,
    sourceBytes: zip.length,
    textBytes: 9,
    failure: null,
  })
  expect((await inspect([zip.subarray(0, -1)])).failure?.code).toBe('UNPACK_INVALID')
  const read = await inspect([ZSTD_TABLE.bytes])
  if (hasZstd) expect([read.rows, read.failure]).toEqual([2, null])
  else expect([read.rows, read.failure?.code]).toEqual([0, 'DEPENDENCY_UNSUPPORTED'])
  expect([read.format, (await inspect([Buffer.from('id\n')])).format]).toEqual(['zstd', 'plain'])
})

test('only the two bytes of gzip make a file gzip, however they are cut', async () => {
  const text = [Buffer.of(0x1f), Buffer.from('itemId\ttitle\n1\tx\n')]
  const plain = await inspect(text)
  expect([plain.gzip, plain.rows, plain.header?.columns[0]]).toEqual([null, 1, '\u001fitemId'])
  const zipped = gzipSync('itemId\ttitle\n1\tx\n')
  const cut = await inspect([zipped.subarray(0, 0), zipped.subarray(0, 1), zipped.subarray(1)])
  expect([cut.gzip?.verifiedMembers, cut.rows, cut.sourceBytes]).toEqual([1, 1, zipped.length])
  const one = await inspect([Buffer.of(0x1f)])
  expect([one.format, one.gzip?.members, one.failure?.code]).toEqual(['gzip', 0, 'GZIP_TRUNCATED'])
})

test('a file without header line and rows has its columns', async () => {
  const { columns, failure } = await inspect([], { dialect: { header: ['a', 'b'] } })
  expect([columns.map(({ name }) => name), failure]).toEqual([['a', 'b'], null])
})

test('a column has no more distinct values than filled cells', async () => {
  for (let seed = 0; seed < 4; seed++) {
    const values = Array.from({ length: 20_000 }, (_, n) => `${'v'.repeat(70)}${seed}-${n}`)
    const { columns } = await inspect([Buffer.from(`a\tb\n\t${values.join('\n\t')}\n`)])
    expect(columns[1]!.distinctIsExact).toBe(false)
    expect(columns[1]!.distinct).toBeLessThanOrEqual(20_000)
  }
})
