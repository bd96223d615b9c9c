import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { replayCommand } from '../../../src/cli/sync/replay'
import { outcomeOf } from '../served'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-replay-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  process.exitCode = 0
})

const quarantined = (name: string, text: string) => {
  const path = join(folder, name)
  const records = [
    { file: { feed: 'other' }, columns: ['sku', 'stock'] },
    { row: 2, line: 3, byteOffset: 17, code: 'TSV_ROW_SHORT', message: '', text },
  ]
  writeFileSync(path, records.map(record => JSON.stringify(record)).join('\n'))
  return path
}

test('--out writes the rows of several quarantines as JSON lines', async () => {
  const files = [quarantined('a.ndjson', 'A\t1\n'), quarantined('b.ndjson', 'B\t2\nC\t3\n')]
  const out = join(folder, 'rows.ndjson')
  const printed = await outcomeOf(() =>
    replayCommand(files, { out, changesFormat: 'plain', json: true }),
  )
  expect(printed.out.map(line => JSON.parse(line))).toEqual([{ rowsRead: 3 }])
  expect(
    readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual([
    { sku: 'A', stock: '1' },
    { sku: 'B', stock: '2' },
    { sku: 'C', stock: '3' },
  ])
})

test('--out fails with the error of a row that is still bad, and writes nothing', async () => {
  const out = join(folder, 'none.ndjson')
  const files = [quarantined('c.ndjson', 'A\n')]
  const { error } = await outcomeOf(() =>
    replayCommand(files, { out, changesFormat: 'plain', json: false }),
  )
  expect(error).toMatchObject({ code: 'TSV_ROW_SHORT', context: { row: 2, line: 3 } })
  expect(() => readFileSync(out)).toThrow('ENOENT')
})
