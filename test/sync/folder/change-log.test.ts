import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import {
  changeLine,
  debeziumLine,
  openChangeFile,
  type StateChange,
} from '../../../src/sync/folder/change-log'
import { SimulatedMachine } from '../simulated-machine'

const file = {
  marketplace: 'MKT_US',
  categoryId: '220',
  feed: 'item_snapshot',
  hour: '2026-03-01T07:00:00.000Z',
} as const
const change = (id: string): StateChange => ({
  part: 'item',
  kind: 'deleted',
  id,
  at: new Date(0),
  file,
  row: null,
})

test('a change is one line of JSON with its file', () => {
  const row = { text: () => '', toObject: () => ({ itemId: 'v1|1|0', title: 'a\nb' }) }
  const line = changeLine({ ...change('v1|1|0'), kind: 'inserted', row })
  expect(line.endsWith('}\n') && line.indexOf('\n') === line.length - 1).toBe(true)
  expect(JSON.parse(line)).toEqual({
    part: 'item',
    kind: 'inserted',
    id: 'v1|1|0',
    at: '1970-01-01T00:00:00.000Z',
    file: 'MKT_US/220/item_snapshot/2026-03-01T07:00:00.000Z',
    row: { itemId: 'v1|1|0', title: 'a\nb' },
  })
})

test('the text after the committed length is removed and written again', async () => {
  const machine = new SimulatedMachine(0)
  const { files } = machine.start()
  const log = await openChangeFile(files, '/log', 0)
  await log.add([change('a')])
  const committed = await log.flush()
  await log.add([change('b')])
  await log.flush()
  const again = await openChangeFile(files, '/log', committed)
  await again.add([change('c')])
  await again.flush()
  expect(machine.filesUnder('').get('/log')).toBe(changeLine(change('a')) + changeLine(change('c')))
})

test('a log that is shorter than its committed length is refused', async () => {
  const { files } = new SimulatedMachine(0).start()
  await expect(openChangeFile(files, '/log', 10)).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
})

test('fault 79: a failed sync fails the flush, and is not repeated', async () => {
  const machine = new SimulatedMachine(0)
  const log = await openChangeFile(machine.start({ at: 5, what: 'EIO' }).files, '/log', 0)
  await log.add([change('a')])
  await expect(log.flush()).rejects.toMatchObject({
    code: 'STATE_IO',
    context: { operation: 'sync', reason: 'EIO' },
  })
  expect(machine.log.filter(call => call.startsWith('sync'))).toHaveLength(1)
})

describe('a line of Debezium', () => {
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
})
