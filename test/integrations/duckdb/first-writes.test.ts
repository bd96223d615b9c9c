// What the first writes of a DuckDB file leave where they fail or are killed, as files on the disk.

import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { duckdbSink, duckdbTarget } from '../../../src/duckdb'
import { itemSchema, pipeline } from '../../../src/index'
import { targetStatus } from '../../../src/sync'

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-first-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'a.duckdb')
}

const write = (path: string) =>
  pipeline([{ itemId: 'v1|1|0' }]).run(
    duckdbSink(path, { table: 'items', schema: itemSchema, mode: 'create' }),
  )

test('fault 168: a file that a kill left within its headers is begun anew', async () => {
  const path = newPath()
  await write(path)
  const whole = readFileSync(path)
  for (const bytes of [0, 4096, 5000, 8192, 12_287]) {
    writeFileSync(path, whole)
    truncateSync(path, bytes)
    await expect(targetStatus(duckdbTarget(path)), `${bytes}`).rejects.toMatchObject({
      code: 'STATE_MISSING',
    })
    await write(path)
    expect(statSync(path).size, `${bytes}`).toBeGreaterThan(12_288)
  }
  writeFileSync(path, Buffer.alloc(8192))
  await write(path)
})

test('fault 168: a small file of somebody else stays as it is', async () => {
  const path = newPath()
  for (const text of ['dear reader', 'x'.repeat(9000)]) {
    writeFileSync(path, text)
    await expect(write(path)).rejects.toMatchObject({ code: 'STATE_FOREIGN' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('fault 168: a database that cannot be made leaves no file', async () => {
  const path = join(newPath(), 'none', 'a.duckdb')
  await expect(write(path)).rejects.toMatchObject({ code: 'SINK_FAILED' })
  expect(existsSync(path)).toBe(false)
})
