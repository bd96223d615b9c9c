// Runs every built command in a process of its own, with a standard output that is full or that
// nobody reads. `export`, which writes whole files there, has its own test.

import { closeSync, openSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { syncCommand } from '../../src/cli/sync/sync'
import { runsWith } from '../tools'
import { type BuiltCommand, builtCommand, ended, locksOf } from './built'
import { itemIds, outcomeOf, served } from './served'

let built: BuiltCommand
let at: Awaited<ReturnType<typeof served>>
let fresh = 0

beforeAll(async () => {
  built = await builtCommand()
  at = await served()
  await outcomeOf(() => syncCommand(at.command))
  await writeFile(feedFile(), 'itemId\ttitle\nv1|1|0\tone\n')
}, 120_000)
afterAll(async () => {
  await at?.close()
  await built?.drop()
})

const feedFile = () => join(at.folder, 'items.tsv')
const syncWords = (state: string) => {
  const { baseUrl, tokenUrl, scopeBase, clientId, clientSecret, marketplace, category, now } =
    at.command
  const service = ['--base-url', baseUrl, '--token-url', tokenUrl, '--scope-base', scopeBase]
  const client = ['--client-id', clientId, '--client-secret', clientSecret]
  const what = ['--marketplace', marketplace, '--category', category[0], '--state', state]
  return ['sync', ...service, ...client, ...what, '--now', now!.toISOString()] as string[]
}

const OUTPUTS: [
  name: string,
  run: (words: readonly string[]) => ReturnType<typeof ended>,
  reason: string,
][] = [
  [
    'is closed',
    words => {
      const child = built.start(words)
      child.stdout!.destroy()
      return ended(child)
    },
    'EPIPE',
  ],
  [
    'is full',
    async words => {
      const full = openSync('/dev/full', 'w')
      try {
        return await ended(built.start(words, full))
      } finally {
        closeSync(full)
      }
    },
    'ENOSPC',
  ],
]

const COMMANDS: [name: string, words: () => readonly string[]][] = [
  ['--help', () => ['--help']],
  ['--version', () => ['--version']],
  ['status', () => ['status', at.command.state]],
  ['status --json', () => ['status', at.command.state, '--json']],
  ['profile', () => ['profile', feedFile(), '--rounds', '1']],
  ['profile --json', () => ['profile', feedFile(), '--rounds', '1', '--json']],
  ['serve', () => ['serve', '--items', '10']],
  [
    'demo',
    () => ['demo', '--items', '100', '--stream-only', '--out', join(at.folder, 'demo.ndjson')],
  ],
]

describe.each(OUTPUTS)('fault 95: where standard output %s', (name, run, reason) => {
  const runs = name !== 'is full' || runsWith('/dev/full')
  // A slow run reports its progress before it fails.
  const failure = new RegExp(
    `(^|\\n)feedmill: SINK_FAILED: standard output cannot be written: .*${reason}.*\\n$`,
  )

  test.runIf(runs).each(COMMANDS)(
    '%s fails typed, in one line',
    async (_, words) => {
      expect(await run(words())).toMatchObject({ code: 1, err: expect.stringMatching(failure) })
      expect(locksOf(at.command.state)).toEqual([])
    },
    60_000,
  )

  test.runIf(runs).each([[[]], [['--json']]])(
    'sync %j fails typed, leaves the folder free, and goes on from there',
    async words => {
      const state = join(at.folder, `state-${fresh++}`)
      expect(await run([...syncWords(state), ...words])).toMatchObject({
        code: 1,
        err: expect.stringMatching(failure),
      })
      expect(locksOf(state)).toEqual([])
      const again = await ended(built.start(syncWords(state)))
      expect([again.code, again.err]).toEqual([0, ''])
      expect(await itemIds(state)).toEqual(
        Array.from(at.emulator.world.truthAt(at.emulator.world.end), ({ itemId }) => itemId),
      )
    },
    60_000,
  )
})

test('printed text is appended to a file that has content', async () => {
  const path = join(at.folder, 'log')
  await writeFile(path, 'before\n')
  const file = openSync(path, 'a')
  expect(await ended(built.start(['status', at.command.state], file))).toMatchObject({
    code: 0,
    err: '',
  })
  closeSync(file)
  expect(readFileSync(path, 'utf8')).toMatch(/^before\nMKT_US of .*\n(.*\n)+$/)
}, 60_000)

test.runIf(runsWith('/dev/full'))(
  'a full standard error ends no command',
  async () => {
    const full = openSync('/dev/full', 'w')
    const child = built.start(['status', at.folder], 'pipe', full)
    closeSync(full)
    expect((await ended(child)).code).toBe(1)
  },
  60_000,
)
