import { expect, test } from 'vitest'
import { ChangeFile, changeLine, type StateChange } from '../../../src/sync/folder/change-log'
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
  const log = await ChangeFile.open(files, '/log', 0)
  await log.add([change('a')])
  const committed = await log.flush()
  await log.add([change('b')])
  await log.flush()
  const again = await ChangeFile.open(files, '/log', committed)
  await again.add([change('c')])
  await again.flush()
  expect(machine.filesUnder('').get('/log')).toBe(changeLine(change('a')) + changeLine(change('c')))
})

test('a log that is shorter than its committed length is refused', async () => {
  const { files } = new SimulatedMachine(0).start()
  await expect(ChangeFile.open(files, '/log', 10)).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
})

test('fault 79: a failed sync fails the flush, and is not repeated', async () => {
  const machine = new SimulatedMachine(0)
  const log = await ChangeFile.open(machine.start({ at: 5, what: 'EIO' }).files, '/log', 0)
  await log.add([change('a')])
  await expect(log.flush()).rejects.toMatchObject({
    code: 'STATE_IO',
    context: { operation: 'sync', reason: 'EIO' },
  })
  expect(machine.log.filter(call => call.startsWith('sync'))).toHaveLength(1)
})
