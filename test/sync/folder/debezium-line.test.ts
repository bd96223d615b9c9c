import { expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import type { StateChange } from '../../../src/sync/folder/change-log'
import { debeziumLine } from '../../../src/sync/folder/debezium-line'

const rowOf = (title: string) => ({ text: () => title, toObject: () => ({ title }) })
const change: StateChange = {
  part: 'item',
  kind: 'updated',
  id: 'v1|1|0',
  at: new Date('2026-03-01T05:30:00Z'),
  file: {
    feed: 'item_snapshot',
    marketplace: 'MKT_US',
    categoryId: '220',
    hour: '2026-03-01T05:00:00.000Z',
  },
  row: rowOf('new'),
  before: rowOf('old'),
}
const processedAt = new Date('2026-03-01T06:00:00Z')

test.each([
  ['inserted', 'c', null, rowOf('new')],
  ['updated', 'u', rowOf('old'), rowOf('new')],
  ['deleted', 'd', rowOf('old'), null],
] as const)('a change that has %s a row is op %s', (kind, op, before, row) => {
  const line = debeziumLine({ ...change, kind, before, row }, processedAt)
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toEqual({
    before: before && { title: 'old' },
    after: row && { title: 'new' },
    source: {
      connector: 'feedmill',
      name: 'MKT_US',
      db: '220',
      table: 'item',
      key: 'v1|1|0',
      file: 'MKT_US/220/item_snapshot/2026-03-01T05:00:00.000Z',
      snapshot: 'false',
      ts_ms: Date.parse('2026-03-01T05:30:00Z'),
    },
    op,
    ts_ms: +processedAt,
  })
})

test('a change without the row before is refused, because an update would look like an insertion', () => {
  const { before: _, ...plain } = change
  expect(() => debeziumLine(plain)).toThrow(FeedError)
  expect(() => debeziumLine(plain)).toThrow(/changeRows: 'both'/)
})
