import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellReading } from '../../../src/cli/profile/profile-cells'
import { profileRound } from '../../../src/cli/profile/profile-round'

const ROWS = Array.from({ length: 300 }, (_, n) => `v1|${n}|0\tname ${n}\t${n}.50\n`)
const TEXT = `itemId\ttitle\tpriceValue\n${ROWS.join('')}`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-profile-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function round(
  bytes: string | Uint8Array,
  format: 'gzip' | 'plain',
  reading: CellReading = 2,
) {
  const path = join(folder, 'file')
  await writeFile(path, bytes)
  return profileRound({ file: { path, format }, feed: 'item', reading }, () => {})
}

describe('a whole file', () => {
  test.each([
    ['plain', TEXT, 'plain'],
    ['gzip', gzipSync(TEXT), 'gzip'],
  ] as const)('%s: the round has its rows, its stages and its times', async (_, bytes, format) => {
    const result = await round(bytes, format)
    expect(result).toMatchObject({ rows: 300, columns: 3, badRows: 0 })
    expect(result).not.toHaveProperty('firstBad')
    expect(result.elapsedMs).toBeGreaterThan(0)
    expect(result.cpuMs).toBeGreaterThan(0)
    expect(result.idleMs).toBeGreaterThanOrEqual(0)
    expect(result.peakRssBytes).toBeGreaterThan(20e6)
    expect(result.stages[0]).toMatchObject({
      stage: 'FileSource',
      bytesOut: Buffer.byteLength(bytes),
    })
    expect(result.stages.at(-1)).toMatchObject({ stage: 'reader', rowsIn: 300, itemsOut: 0 })
  })

  test.each([0, 3, 1000, 'objects', 'typed'] as const)(
    'the cells are read as %s',
    async reading => {
      expect(await round(TEXT, 'plain', reading)).toMatchObject({ rows: 300, badRows: 0 })
    },
  )

  test('a file with only a header has no rows', async () => {
    expect(await round('itemId\ttitle\n', 'plain')).toMatchObject({ rows: 0, columns: 2 })
  })
})

test('a file with a schema of the user is read with it', async () => {
  const schema = join(folder, 'stock.json')
  await writeFile(schema, '{"name":"stock","columns":{"sku":{"type":"int32"}}}')
  const path = join(folder, 'stock.tsv')
  await writeFile(path, 'sku\n1\nx\n')
  const task = { file: { path, format: 'plain' as const }, feed: 'stock', schema: { path: schema } }
  const result = await profileRound({ ...task, reading: 'typed' }, () => {})
  expect(result).toMatchObject({ columns: 1, rows: 2, badRows: 1 })
  expect(result.firstBad).toMatch(/^CELL_INVALID: \S+stock\.tsv: sku: not readable as int32/)
})

describe('a bad row affects only itself', () => {
  test('when it is short', async () => {
    const result = await round(`${TEXT}v1|1|0\tshort\n${ROWS[0]}`, 'plain')
    expect(result).toMatchObject({ rows: 301, badRows: 1 })
    expect(result.firstBad).toMatch(/^TSV_ROW_SHORT: \S+, row 301, line 302, byte \d+: /)
  })

  test('when a cell cannot be decoded, where cells are decoded', async () => {
    const text = `${TEXT}v1|1|0\ttitle\tdear\nv1|2|0\ttitle\tcheap\n`
    const result = await round(text, 'plain', 'typed')
    expect(result).toMatchObject({ rows: 302, badRows: 2 })
    expect(result.firstBad).toMatch(
      /^CELL_INVALID: \S+: priceValue: .*\(row 301, line 302, byte \d+\)$/,
    )
    expect(await round(text, 'plain', 'objects')).toMatchObject({ rows: 302, badRows: 0 })
  })
})

describe('a file that cannot be read to its end fails typed, with its position', () => {
  const whole = gzipSync(TEXT)
  test.each([
    [
      'cut',
      whole.subarray(0, -20),
      { code: 'GZIP_TRUNCATED', context: { byteOffset: whole.length - 20 } },
    ],
    ['empty text', '', { code: 'TSV_EMPTY', context: { byteOffset: 0 } }],
    [
      'of another feed',
      'groupId\n',
      { code: 'TSV_HEADER_INVALID', context: { line: 1, byteOffset: 0 } },
    ],
  ])('%s', async (_, bytes, error) => {
    await expect(round(bytes, typeof bytes === 'string' ? 'plain' : 'gzip')).rejects.toMatchObject(
      error,
    )
  })
})
