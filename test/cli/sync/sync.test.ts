import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SyncCommand } from '../../../src/cli/sync/state-commands'
import { syncCommand } from '../../../src/cli/sync/sync'
import { takeFolderLock } from '../../../src/sync/folder/folder-lock'
import { HOURS, itemIds, outcomeOf, served } from '../served'

let at: Awaited<ReturnType<typeof served>>
beforeAll(async () => {
  at = await served()
})
afterAll(() => at.close())

/** The service has the priority files of thirteen days before the bootstrap. */
const FILES = 2 + HOURS + 13
const run = (options: Partial<SyncCommand>) =>
  outcomeOf(() => syncCommand({ ...at.command, ...options }))
const stateIn = (name: string) => join(at.folder, name)
const truth = () =>
  Array.from(at.emulator.world.truthAt(at.emulator.world.end), ({ itemId }) => itemId)

describe('feedmill sync', () => {
  test('brings the state to the last hour, prints a line for each file, and ends with a summary', async () => {
    const { out, err, exitCode, error } = await run({ state: stateIn('plain'), changes: true })
    expect([err, exitCode, error]).toEqual([[], undefined, undefined])
    expect(out.filter(line => / inserted, /.test(line))).toHaveLength(FILES)
    expect(out.at(-2)).toMatch(new RegExp(`^${FILES} files, \\d+ rows, .* in .* s$`))
    expect(out.at(-1)).toBe('220 up to 2026-03-01T04:00:00.000Z')
    expect(await itemIds(stateIn('plain'))).toEqual(truth())
    expect(readdirSync(join(stateIn('plain'), 'changes'))).toHaveLength(FILES - 2)
    const again = await run({ state: stateIn('plain') })
    expect(again.out[0]).toMatch(/^0 files, 0 rows/)
  })

  test('--json prints one event on each line and nothing else', async () => {
    const { out, err } = await run({ state: stateIn('json'), json: true })
    const events = out.map(line => JSON.parse(line))
    expect(err).toEqual([])
    expect(events.at(-1)).toMatchObject({
      type: 'summary',
      files: FILES,
      failed: [],
      categories: [{ categoryId: '220' }],
    })
    expect(events.at(-1).categories[0].watermark).toBe('2026-03-01T04:00:00.000Z')
    const done = events.filter(({ type }) => type === 'done')
    expect(done.map(({ file }) => file)).toContain(
      'MKT_US/220/item_snapshot/2026-03-01T03:00:00.000Z',
    )
    expect(
      done.every(
        ({ rows, totalBytes, badRows }) => totalBytes >= 0 && badRows === 0 && rows.inserted >= 0,
      ),
    ).toBe(true)
    expect(existsSync(join(stateIn('json'), 'changes'))).toBe(false)
    expect(out.join()).not.toContain(at.emulator.clientSecret)
  })

  test('--changes appends every change to one file', async () => {
    const changes = join(at.folder, 'changes.ndjson')
    const state = stateIn('changed')
    await run({ state, changes, until: new Date('2026-03-01T00:00:00Z') })
    const items = new Map((await itemIds(state)).map(id => [id, {}]))
    await run({ state, changes })
    const lines = readFileSync(changes, 'utf8').trimEnd().split('\n')
    for (const { part, kind, id, row } of lines.map(line => JSON.parse(line))) {
      if (part === 'item') kind === 'deleted' ? items.delete(id) : items.set(id, row)
    }
    expect([...items.keys()].sort()).toEqual(truth())
  })

  test('--until leaves out files of later times, and a later run continues', async () => {
    const state = stateIn('until')
    const { out } = await run({ state, until: new Date('2026-03-01T02:30:00Z') })
    expect(out.at(-1)).toBe('220 up to 2026-03-01T02:00:00.000Z')
    const rest = await run({ state, until: 'now' })
    expect(rest.out.at(-1)).toBe('220 up to 2026-03-01T04:00:00.000Z')
    expect(rest.out.at(-2)).toMatch(/^2 files/)
  })

  test('--follow ends when the state reaches the time of --until', async () => {
    const { out, error } = await run({
      state: stateIn('follow'),
      follow: true,
      until: at.emulator.world.end,
    })
    expect(error).toBeUndefined()
    expect(out.at(-1)).toBe('220 up to 2026-03-01T04:00:00.000Z')
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s stops it cleanly with %i, and the next run continues from there',
    async (name, code) => {
      const state = stateIn(name)
      const stopped = outcomeOf(() => {
        const running = syncCommand({ ...at.command, state, follow: true })
        setImmediate(() => process.emit(name, name))
        return running
      })
      const { exitCode, error, err } = await stopped
      expect([exitCode, error]).toEqual([code, undefined])
      expect(err).toEqual(['feedmill: stopped; the same command goes on from here'])
      expect((await run({ state })).exitCode).toBeUndefined()
      expect(await itemIds(state)).toEqual(truth())
    },
  )

  test('fault 117: an hour that is lost for good is exit code 1 and one line, each time', async () => {
    const state = stateIn('lost')
    const early = new Date('2026-03-01T02:00:00Z')
    expect((await run({ state, until: early, json: true })).exitCode).toBeUndefined()
    // The service has the same bootstrap as before, and the calendar needs a newer one.
    const now = new Date(at.command.now!.getTime() + 8 * 86_400_000)
    for (const json of [false, true]) {
      const { err, exitCode } = await run({ state, now, json })
      const told = err.filter(line => line.includes('lost for good'))
      expect([told.length, exitCode]).toEqual([1, 1])
      expect(told[0]).toContain(
        json
          ? '{"error":{"file":"MKT_US/220/item_snapshot/2026-03-01T02:00:00.000Z"'
          : 'feedmill: SYNC_FILE_FAILED: 220 item_snapshot 2026-03-01T02:00:00.000Z: lost for good',
      )
    }
  })

  test('refuses a folder that another run uses, and the folder of another service', async () => {
    const state = stateIn('plain')
    const lock = await takeFolderLock(state)
    try {
      expect((await run({ state })).error).toMatchObject({ code: 'STATE_LOCKED' })
    } finally {
      await lock.release()
    }
    expect((await run({ state, marketplace: 'MKT_DE' })).error).toMatchObject({
      code: 'STATE_FOREIGN',
    })
  })

  test('reports a wrong option before any request', async () => {
    expect((await run({ state: stateIn('never'), memory: 1 })).error).toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'memoryBytes' },
    })
    expect(
      (await run({ state: stateIn('never'), credentials: stateIn('no-file') })).error,
    ).toMatchObject({
      code: 'OPTION_INVALID',
    })
    expect(existsSync(stateIn('never'))).toBe(false)
  })
})

test('sync fails with exit code 1 for a category that is refused, and completes the other one', async () => {
  const world = { seed: 5, items: 80, hours: HOURS, categories: ['220', '267'] }
  const two = await served({
    world,
    access: { constraints: [{ marketplaceId: 'MKT_US', categoryIds: ['220'] }] },
  })
  try {
    const { out, err, exitCode, error } = await outcomeOf(() =>
      syncCommand({ ...two.command, category: ['220', '267'] }),
    )
    expect([error, exitCode]).toEqual([undefined, 1])
    expect(
      err.filter(line => /^feedmill: SYNC_FILE_FAILED: 267 item(_group)? ALL_ACTIVE: /.test(line)),
    ).toHaveLength(2)
    expect(out.filter(line => /SYNC_FILE_FAILED/.test(line))).toEqual([])
    expect(out).toContain('220 up to 2026-03-01T04:00:00.000Z')
    expect(out.find(line => line.startsWith('267 has'))).toMatch(
      /^267 has no bootstrap yet, waits for 267 item/,
    )
  } finally {
    await two.close()
  }
})

test('sync reports a file that does not come in time, and stops at the state before it', async () => {
  const late = await served({ now: new Date('2026-03-01T04:30:00Z') })
  try {
    // The clock of the client is ahead of the service, so a due file does not exist yet.
    const { out, exitCode } = await outcomeOf(() => syncCommand(late.command))
    expect(exitCode).toBeUndefined()
    expect(out).toContain('220 item_snapshot 2026-03-01T03:00:00.000Z: not there yet')
    expect(out.at(-1)).toBe(
      '220 up to 2026-03-01T03:00:00.000Z, waits for 220 item_snapshot 2026-03-01T03:00:00.000Z',
    )
  } finally {
    await late.close()
  }
})
