import fc from 'fast-check'
import { expect, test } from 'vitest'
import { versionOfRow } from '../../src/engine/codec/merge/version-order'
import type { RowBatch } from '../../src/engine/codec/row-batch'
import { TsvParser } from '../../src/engine/codec/tsv/parser'
import { FeedError } from '../../src/engine/errors'
import type { Columns, FeedFile } from '../../src/engine/schema/feed-schema'
import { itemSnapshotSchema } from '../../src/engine/schema/feed-schemas'
import { keyedRows } from '../../src/state/keyed-rows'
import { KEY_LIMIT_BYTES, keyOfRow } from '../../src/state/row-key'
import { headOf } from './keyed-rows-of'

const HOUR = new Date('2026-03-01T07:00:00Z')
const GENERATED = new Date('2026-03-01T08:00:00Z')

const key = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^v1\|[0-9]{1,12}\|0$/) },
  fc.constantFrom('', '""', '"v1|1|0"', '"a""b"', 'ключ', '"日本"', 'k'.repeat(KEY_LIMIT_BYTES)),
  fc.constantFrom('k'.repeat(KEY_LIMIT_BYTES + 1), 'я'.repeat(KEY_LIMIT_BYTES / 2 + 1)),
)
const availability = fc.constantFrom(
  'AVAILABLE',
  'UNAVAILABLE',
  '"UNAVAILABLE"',
  'TEMPORARILY_UNAVAILABLE',
  '',
)
const date = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .integer({ min: 0, max: 3_600_000 })
      .map(ms => new Date(HOUR.getTime() + ms).toISOString()),
  },
  fc.constantFrom('', '""', '"2026-03-01T07:30:00.000Z"', '2026-03-01T07:30:00Z', 'yesterday'),
)
const file = fc.constantFrom<FeedFile>(
  { feed: 'item_snapshot', hour: HOUR, lastModified: GENERATED },
  { feed: 'item_snapshot' },
  { feed: 'item', lastModified: GENERATED },
  { feed: 'item', date: '20260301' },
  { feed: 'item_priority', date: '20260301', lastModified: GENERATED },
)
const columns = fc
  .shuffledSubarray(['itemId', 'availability', 'itemSnapshotDate', 'title'])
  .map(some => [...new Set([...some, 'availability', 'itemId'])])

type Taken = readonly [key: string, head: unknown, position: unknown]

/** What the functions for one row say of each. */
function oneByOne(batch: RowBatch<Columns>): (Taken | string)[] {
  return Array.from(batch, row => {
    try {
      const itemId = keyOfRow(row, 'itemId')
      const { row: number, line, byteOffset } = row.position
      return [itemId, headOf(row, versionOfRow(row, itemId)), [number, line, byteOffset]]
    } catch (error) {
      if (!FeedError.is(error)) throw error
      return `${row.position.row} ${error.code}`
    }
  })
}

test('The rows of a batch have the keys and versions that each of them has by itself.', () => {
  fc.assert(
    fc.property(
      file,
      columns,
      fc.array(fc.record({ key, availability, date }), { maxLength: 30 }),
      fc.func(fc.boolean()),
      (of, names, cells, isChosen) => {
        const lines = cells.map(({ key, availability, date }) =>
          names.map(
            name => ({ itemId: key, availability, itemSnapshotDate: date })[name] ?? 'тема',
          ),
        )
        const text = [names, ...lines].map(line => `${line.join('\t')}\n`).join('')
        const parser = new TsvParser<Columns>({
          schema: itemSnapshotSchema,
          file: of,
          onBadRow: 'skip',
        })
        for (const all of [...parser.push(Buffer.from(text)), ...parser.end()]) {
          const batch = all.select(row => isChosen(row.slot))
          const found: (Taken | string)[] = []
          const errors: string[] = []
          const rows = keyedRows(batch, { key: 'itemId' }, (row, { code }) =>
            errors.push(`${row.position.row} ${code}`),
          )
          for (let n = 0; n < rows.length; n++) {
            const { row, line, byteOffset } = rows.batch.row(n).position
            found.push([rows.key(n), rows.head(n), [row, line, byteOffset]])
            const { heads } = rows
            expect([heads.row[n], heads.line[n], heads.byteOffset[n]]).toEqual([
              row,
              line,
              byteOffset,
            ])
            expect(rows.isRemoval(n)).toBe(rows.head(n).version.removed)
          }
          const expected = oneByOne(batch)
          expect(found).toEqual(expected.filter(each => typeof each !== 'string'))
          expect(errors).toEqual(expected.filter(each => typeof each === 'string'))
          const some = rows.select(n => n % 3 !== 1)
          expect(
            Array.from({ length: some.length }, (_, n) => [some.key(n), some.head(n)]),
          ).toEqual(found.filter((_, n) => n % 3 !== 1).map(each => each.slice(0, 2)))
        }
      },
    ),
    { numRuns: 500 },
  )
})
