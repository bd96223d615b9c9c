import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { appendingSink } from '../../../src/cli/sync/change-file'
import { createFeedService, defineProfile } from '../../../src/service'
import { changeLine, type StateChange, sync } from '../../../src/sync'
import { served } from '../served'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-changes-'))
afterAll(() => rmSync(folder, { recursive: true }))

const change = (id: string): StateChange => ({
  part: 'item',
  kind: 'deleted',
  id,
  at: new Date('2026-03-01T05:00:00Z'),
  file: {
    feed: 'item_snapshot',
    marketplace: 'MKT_US',
    categoryId: '220',
    hour: '2026-03-01T05:00:00.000Z',
  },
  row: null,
})

test('changes are appended to the file, one on each line', async () => {
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

test('no file is made where there is no change', async () => {
  const path = join(folder, 'none.ndjson')
  await appendingSink(path).close()
  expect(existsSync(path)).toBe(false)
})

test('a file that cannot be opened is a typed error, which is reported once', async () => {
  const sink = appendingSink(join(folder, 'no-folder', 'file'))
  await expect(sink.write([change('v1|1|0')])).rejects.toMatchObject({
    code: 'SINK_FAILED',
    message: expect.stringContaining('ENOENT'),
    context: { sink: 'changes', target: join(folder, 'no-folder', 'file'), reason: 'ENOENT' },
  })
  await expect(sink.close()).resolves.toBeUndefined()
})

test.runIf(existsSync('/dev/null'))('a device may receive the changes', async () => {
  const sink = appendingSink('/dev/null')
  await sink.write([change('v1|1|0')])
  await sink.close()
})

/**
 * Opens files of a disk that has room for the given number of bytes of the next text, and for no
 * later text.
 */
function onFullDisk(roomBytes: number): typeof open {
  return async (...how) => {
    const handle: FileHandle = await open(...how)
    handle.appendFile = async text => {
      await handle.write((text as string).slice(0, roomBytes))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    }
    return handle
  }
}

const idsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).id)

const lineOf = (id: string) => `{"part":"item","kind":"deleted","id":"${id}"`

test.each([1, 9, 100, 200])(
  'fault 79: a disk with room for %i bytes more gives a typed error, and the next run removes the torn line',
  async room => {
    const path = join(folder, `full-${room}.ndjson`)
    const first = appendingSink(path)
    await first.write([change('v1|1|0')])
    await first.close()
    const full = appendingSink(path, 'plain', onFullDisk(room))
    const failure = {
      code: 'SINK_FAILED',
      context: { sink: 'changes', target: path, reason: 'ENOSPC' },
    }
    await expect(full.write([change('v1|2|0'), change('v1|3|0')])).rejects.toMatchObject(failure)
    const left = readFileSync(path, 'utf8')
    expect(left.endsWith('\n')).toBe(false)
    // A change of another category of the same run must not follow the torn line.
    await expect(full.write([change('v1|4|0')])).rejects.toMatchObject(failure)
    expect(readFileSync(path, 'utf8')).toBe(left)
    await full.close()
    const next = appendingSink(path)
    await next.write([change('v1|2|0'), change('v1|3|0')])
    await next.close()
    const whole = room >= changeLine(change('v1|2|0')).length ? ['v1|2|0'] : []
    expect(idsIn(path)).toEqual(['v1|1|0', ...whole, 'v1|2|0', 'v1|3|0'])
  },
)

test('a torn line is removed when it is longer than one read, and when it is the whole file', async () => {
  for (const before of ['', `${lineOf('v1|0|0')}}\n`]) {
    const path = join(folder, 'long.ndjson')
    writeFileSync(path, `${before}${lineOf('x'.repeat(200_000))}`)
    const sink = appendingSink(path)
    await sink.write([change('v1|1|0')])
    await sink.close()
    expect(idsIn(path)).toEqual([...(before === '' ? [] : ['v1|0|0']), 'v1|1|0'])
  }
})

test('a file of another kind whose last line has no end is refused, and left as it is', async () => {
  const path = join(folder, 'notes.txt')
  writeFileSync(path, 'some\nnotes')
  const sink = appendingSink(path)
  await expect(sink.write([change('v1|1|0')])).rejects.toMatchObject({
    code: 'SINK_FAILED',
    message: expect.stringContaining('it is not a file of changes'),
  })
  await sink.close()
  expect(readFileSync(path, 'utf8')).toBe('some\nnotes')
})

test('fault 79: a synchronisation whose disk is full at a change goes on, and no change is lost', async () => {
  const at = await served()
  const path = join(at.folder, 'changes.ndjson')
  const { baseUrl, tokenUrl, scopeBase, now } = at.command
  const { clientId, clientSecret } = at.emulator
  const profile = defineProfile({ baseUrl: baseUrl!, tokenUrl: tokenUrl!, scopeBase: scopeBase! })
  const service = createFeedService(profile, { clientId, clientSecret }, { now: now! })
  const run = async (openFile?: typeof open) => {
    const changes = appendingSink(path, 'plain', openFile)
    const options = {
      service,
      marketplace: 'MKT_US',
      categories: ['220'],
      folder: at.command.state,
      changes,
    }
    return sync(options).summary.finally(() => changes.close())
  }
  try {
    await expect(run(onFullDisk(5_000))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      context: { reason: 'ENOSPC' },
    })
    expect((await run()).failed).toEqual([])
    // The first bootstrap is no change.
    const { world } = at.emulator
    const items = new Set(Array.from(world.truthAt(world.start), ({ itemId }) => itemId))
    for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
      const { part, kind, id } = JSON.parse(line)
      if (part === 'item') kind === 'deleted' ? items.delete(id) : items.add(id)
    }
    expect([...items].sort()).toEqual(Array.from(world.truthAt(world.end), ({ itemId }) => itemId))
  } finally {
    await service.close()
    await at.close()
  }
}, 60_000)
