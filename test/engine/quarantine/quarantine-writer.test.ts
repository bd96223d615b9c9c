import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineFiles } from '../../../src/engine/disk/durable-files'
import { QuarantineWriter } from '../../../src/engine/quarantine/quarantine-writer'

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
  const log = new QuarantineWriter({ files: machineFiles, path, name: 'MKT_US/220', length: 0 })
  await log.cut()
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
  const lines = (await readFile(path, 'utf8')).trim().split('\n')
  const rows = lines.map(line => JSON.parse(line)).filter(record => 'row' in record)
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
  expect((await stat(path)).size).toBe(lengths.at(-1))

  // A run that goes on behind the twentieth row.
  const again = new QuarantineWriter({
    files: machineFiles,
    path,
    name: 'MKT_US/220',
    length: lengths[19]!,
  })
  await again.cut()
  again.take(leftOut(21))
  await again.flush()
  expect((await stat(path)).size).toBe(lengths[20])
})

test('after a write that failed, later calls fail too', async () => {
  const path = join(folder, 'refused')
  const refused = () => Promise.reject(new RangeError('full'))
  const files = { ...machineFiles, makeFolder: refused }
  const log = new QuarantineWriter({ files, path, length: 0 })
  const large = (row: number) => ({ ...leftOut(row), bytes: Buffer.alloc(1 << 16, 'a') })
  log.take(large(1))
  await expect(log.settle()).rejects.toThrow('full')
  log.take(large(2))
  await expect(log.settle()).rejects.toThrow('full')
  await expect(log.flush()).rejects.toThrow('full')
})

test('fault 109: a link at the temporary name is refused, and what it points to stays', async () => {
  const [path, victim] = [join(folder, 'edit.ndjson'), join(folder, 'victim')]
  await writeFile(path, 'records\n')
  await writeFile(victim, 'precious\n')
  await symlink(victim, `${path}.partial`)
  const kept = new QuarantineWriter({ files: machineFiles, path: `${path}.partial`, length: 0 })
  kept.take(leftOut(1))
  await expect(kept.replace(path)).rejects.toMatchObject({ code: 'STATE_IO' })
  expect([await readFile(path, 'utf8'), await readFile(victim, 'utf8')]).toEqual([
    'records\n',
    'precious\n',
  ])
  expect((await lstat(`${path}.partial`)).isSymbolicLink()).toBe(true)
})

test('the records replace a file as a whole, and none of them removes it', async () => {
  const path = join(folder, 'replaced.ndjson')
  await writeFile(path, 'records\n')
  const options = { files: machineFiles, path: `${path}.partial`, length: 0 }
  const kept = new QuarantineWriter(options)
  kept.take(leftOut(1))
  await kept.replace(path)
  expect(await readFile(path, 'utf8')).toMatch(/^{"file":.*}\n{"row":1,.*}\n$/)
  await new QuarantineWriter(options).replace(path)
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
})
