import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { cellHash, hashBatch } from '../../../../src/engine/codec/cells/hash-batch'
import { CELL_END } from '../../../../src/engine/codec/tsv/scanner'
import { type RowBatch, TsvRowParser } from '../../../../src/index'
import { tsv } from '../../../tsv-text'
import { decodedAspects } from '../aspects-cells'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

async function batchesOf(rows: readonly (readonly string[])[]): Promise<RowBatch[]> {
  const parser = new TsvRowParser()
  const header = rows[0]!.map((_, n) => `column ${n}`)
  parser.end(Buffer.from(tsv([header, ...rows])))
  return parser.collect() as unknown as Promise<RowBatch[]>
}

/** The hash of each cell, by the function for a single cell; 0 for an empty one. */
function expectedHashes({ index, rowCount, cells }: RowBatch): number[] {
  const { rowStarts, cellEnds, columns } = index
  return Array.from({ length: rowCount * columns }, (_, cell) => {
    const row = Math.floor(cell / columns)
    const start = cell % columns === 0 ? rowStarts[row]! : (cellEnds[cell - 1]! & CELL_END) + 1
    const end = cellEnds[cell]! & CELL_END
    return start === end ? 0 : cellHash(cells.view, start, end)
  })
}

function found(hashes: Int32Array, batch: RowBatch): number[] {
  const expected = expectedHashes(batch)
  return Array.from(expected, (hash, cell) => (hash === 0 ? 0 : hashes[cell]!))
}

const cell = fc.string({ maxLength: 30 }).map(text => text.replace(/[\t\r\n"]/g, ' '))
const table = fc
  .integer({ min: 2, max: 5 })
  .chain(columns =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1 }),
  )

test('the module finds the hashes that the function for a single cell finds', async () => {
  await fc.assert(
    fc.asyncProperty(table, async rows => {
      for (const batch of await batchesOf(rows))
        expect(found(hashBatch(batch).hashes, batch)).toEqual(expectedHashes(batch))
    }),
  )
})

test('a batch with more rows or bytes than the module takes is hashed too', async () => {
  const manyRows = Array.from({ length: 20_000 }, (_, n) => [`${n % 7}`])
  for (const rows of [manyRows, [['a', 'b'.repeat(300_000)]]])
    for (const batch of await batchesOf(rows))
      expect(found(hashBatch(batch).hashes, batch)).toEqual(expectedHashes(batch))
})

test('a machine without WebAssembly hashes by plain code', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const { hashBatch: withoutWasm } = await import('../../../../src/engine/codec/cells/hash-batch')
  for (const batch of await batchesOf([['abc', '', 'defgh']])) {
    const known = withoutWasm(batch)
    expect([...known.hashes]).toEqual(expectedHashes(batch))
    expect(known.plainAspects(0)).toBeUndefined()
  }
})

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString('base64')
/** UTF-8 at the limits of its ranges, beside bytes that are not UTF-8. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map(base64),
  fc
    .array(
      fc.constantFrom(
        ...[0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1],
        ...[0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map(bytes => base64(Uint8Array.from(bytes))),
  fc.constantFrom(
    '',
    'QQ==',
    'QR==',
    'QUI=',
    'QUJ=',
    'QUJD',
    'QUJ',
    'Q===',
    '=',
    'QU=D',
    'QQ==QQ==',
  ),
)
const aspects = fc
  .array(fc.tuple(piece, fc.constantFrom(':', ':', ';', ';', '|')), { minLength: 1, maxLength: 8 })
  .chain(pieces => {
    const text = pieces.flat().join('')
    return fc.constantFrom(text, text.slice(0, -1))
  })

test('an aspects cell that is known as good is one that the decoder takes', async () => {
  let known = 0
  await fc.assert(
    fc.asyncProperty(fc.array(aspects, { minLength: 1, maxLength: 20 }), async texts => {
      for (const batch of await batchesOf(texts.map(text => ['x', text]))) {
        const plain = hashBatch(batch).plainAspects(1)!
        for (const [n, text] of texts.entries()) {
          if (plain[n] === 1) expect(decodedAspects(text), text).toBeDefined()
          known += plain[n]!
        }
      }
    }),
    { numRuns: 150 },
  )
  expect(known).toBeGreaterThan(0)
})

test('all pairs whose pieces are UTF-8 are known as good', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('Größe', ''))
  const pair = fc
    .tuple(fc.option(text), text, text)
    .filter(texts => texts.every(each => each === null || isUtf8(Buffer.from(each))))
    .map(
      ([label, ...rest]) =>
        `${label === null ? '' : `${base64(label)}|`}${rest.map(base64).join(':')}`,
    )
  const cells = fc.tuple(fc.array(pair, { minLength: 1 }), fc.constantFrom('', ';'))
  await fc.assert(
    fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 8 }), async rows => {
      for (const batch of await batchesOf(rows.map(([pairs, end]) => ['x', pairs.join(';') + end])))
        expect([...hashBatch(batch).plainAspects(1)!.subarray(0, batch.length)]).toEqual(
          rows.map(() => 1),
        )
    }),
  )
})
