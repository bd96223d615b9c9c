import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { appendingSink } from '../../src/cli/change-file'
import type { StateChange } from '../../src/sync/index'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-changes-'))
afterAll(() => rmSync(folder, { recursive: true }))

const change = (id: string): StateChange => ({
  part: 'item',
  kind: 'deleted',
  id,
  at: new Date('2026-03-01T05:00:00Z'),
  file: { feed: 'item_snapshot', marketplace: 'MKT_US', categoryId: '220', hour: '2026-03-01T05:00:00.000Z' },
  row: null,
})

test('changes are appended to what is there, a line each', async () => {
  const path = join(folder, 'some.ndjson')
  writeFileSync(path, 'before\n')
  const sink = appendingSink(path)
  await sink.write([change('v1|1|0'), change('v1|2|0')])
  await sink.write([change('v1|3|0')])
  await sink.close()
  const [before, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(before).toBe('before')
  expect(lines.map(line => JSON.parse(line))).toEqual(
    ['v1|1|0', 'v1|2|0', 'v1|3|0'].map(id => {
      return {
        part: 'item',
        kind: 'deleted',
        id,
        at: '2026-03-01T05:00:00.000Z',
        file: 'MKT_US/220/item_snapshot/2026-03-01T05:00:00.000Z',
        row: null,
      }
    }),
  )
})

test('without a change there is no file', async () => {
  const path = join(folder, 'none.ndjson')
  await appendingSink(path).close()
  expect(existsSync(path)).toBe(false)
})

test('a file that cannot be opened is a typed error, told once', async () => {
  const sink = appendingSink(join(folder, 'no-folder', 'file'))
  await expect(sink.write([change('v1|1|0')])).rejects.toMatchObject({
    code: 'SINK_FAILED',
    message: expect.stringContaining('ENOENT'),
    context: { sink: 'changes', target: join(folder, 'no-folder', 'file'), reason: 'ENOENT' },
  })
  await expect(sink.close()).resolves.toBeUndefined()
})

test.runIf(existsSync('/dev/null'))('a device takes changes too', async () => {
  const sink = appendingSink('/dev/null')
  await sink.write([change('v1|1|0')])
  await sink.close()
})
