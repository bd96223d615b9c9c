import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineFiles } from '../../../src/engine/disk/durable-files'
import type { FileId } from '../../../src/sync/file-id'
import { QuarantineLog } from '../../../src/sync/folder/quarantine-log'

const id: FileId = {
  feed: 'item_snapshot',
  marketplace: 'MKT_US',
  categoryId: '220',
  hour: '1970-01-01T00:00:00.000Z',
}
const of = { file: { feed: 'item_snapshot' }, columns: ['itemId'] } as const

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

const leftOut = (row: number) => ({
  of,
  position: { row, line: row + 1, byteOffset: 10 * row },
  bytes: Buffer.from(`row ${row} \u00fc\n`),
  reason: { code: 'CELL_INVALID', message: 'no number' },
})

test('calls that overlap write each row once, in order, and the length counts what was taken', async () => {
  const path = join(folder, 'quarantine')
  const log = new QuarantineLog({ files: machineFiles, path, id, length: 0 })
  await log.open()
  const calls: (Promise<void> | undefined)[] = []
  const lengths: number[] = []
  for (let row = 1; row <= 50; row++) {
    log.take(leftOut(row))
    lengths.push(log.length)
    if (row % 2 === 0) calls.push(log.settle())
    if (row % 7 === 0) calls.push(log.flush())
    if (row % 20 === 0) await calls.at(-1)
  }
  await Promise.all([...calls, log.flush()])
  await log.close()
  const lines = (await readFile(path, 'utf8')).trim().split('\n')
  const rows = lines.map(line => JSON.parse(line)).filter(record => 'row' in record)
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
  expect((await stat(path)).size).toBe(lengths.at(-1))

  // A run that goes on behind the twentieth row.
  const again = new QuarantineLog({ files: machineFiles, path, id, length: lengths[19]! })
  await again.open()
  again.take(leftOut(21))
  await again.flush()
  await again.close()
  expect((await stat(path)).size).toBe(lengths[20])
})

test('after a write that failed, later calls fail too', async () => {
  const path = join(folder, 'refused')
  const refused = () => Promise.reject(new RangeError('full'))
  const files = { ...machineFiles, makeFolder: refused }
  const log = new QuarantineLog({ files, path, id, length: 0 })
  log.take(leftOut(1))
  await expect(log.settle()).rejects.toThrow('full')
  log.take(leftOut(2))
  await expect(log.settle()).rejects.toThrow('full')
  await expect(log.flush()).rejects.toThrow('full')
})
