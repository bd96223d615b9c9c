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
/** A file of the catalog. */
let fileId: string

beforeAll(async () => {
  built = await builtCommand()
  at = await served()
  await outcomeOf(() => syncCommand(at.command))
  const listed = await ended(built.start([...FILES, '--json', '--limit', '1', ...serviceWords()]))
  fileId = JSON.parse(listed.out).fileId
  await writeFile(feedFile(), 'itemId\ttitle\nv1|1|0\tone\n')
}, 120_000)
afterAll(async () => {
  await at?.close()
  await built?.drop()
})

const FILES = ['catalog', 'files', '--marketplace', 'MKT_US']
const DOWNLOAD = ['catalog', 'download', '--marketplace', 'MKT_US', '--out', '-']
const feedFile = () => join(at.folder, 'items.tsv')
const serviceWords = () => {
  const { baseUrl, tokenUrl, scopeBase, credentials } = at.command
  const service = ['--base-url', baseUrl, '--token-url', tokenUrl, '--scope-base', scopeBase]
  return [...service, '--credentials', credentials] as string[]
}
const syncWords = (state: string) => {
  const { marketplace, category, now } = at.command
  const what = ['--marketplace', marketplace!, '--category', category![0]!, '--state', state]
  return ['sync', ...serviceWords(), ...what, '--now', now!.toISOString()]
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
  ['inspect', () => ['inspect', feedFile()]],
  ['inspect --json', () => ['inspect', feedFile(), '--json']],
  ['diff', () => ['diff', feedFile(), at.command.state]],
  ['diff --json', () => ['diff', feedFile(), at.command.state, '--json']],
  ['serve', () => ['serve', '--items', '10']],
  ['catalog files', () => [...FILES, ...serviceWords()]],
  ['catalog files --json', () => [...FILES, '--json', ...serviceWords()]],
  ['catalog download --out -', () => [...DOWNLOAD, fileId, ...serviceWords()]],
  ['completion', () => ['completion', 'bash']],
  ['demo', () => ['demo', '--items', '100', '--out', join(at.folder, 'demo.ndjson')]],
]

describe.each(OUTPUTS)('fault 95: where standard output %s', (name, run, reason) => {
  const runs = name !== 'is full' || runsWith('/dev/full')
  // As other programs do, a command ends quietly where its reader has gone.
  const [code, ends] = reason === 'EPIPE' ? [141, 'quietly'] : [1, 'typed, in one line']
  const message = `standard output cannot be written: .*${reason}.*`
  /** The failure in one line, after the progress of a slow run: as JSON where the command prints JSON. */
  const failureOf = (words: readonly string[]) =>
    code === 141
      ? /^(?!.*SINK_FAILED)/s
      : words.includes('--json')
        ? new RegExp(
            `(^|\\n)\\{"error":\\{"code":"SINK_FAILED","message":"${message}","context":\\{.*\\}\\}\\}\\n$`,
          )
        : new RegExp(`(^|\\n)feedmill: SINK_FAILED: ${message}\\n$`)

  test.runIf(runs).each(COMMANDS)(
    `%s fails ${ends}`,
    async (_, words) => {
      expect(await run(words())).toMatchObject({
        code,
        err: expect.stringMatching(failureOf(words())),
      })
      expect(locksOf(at.command.state)).toEqual([])
    },
    60_000,
  )

  test.runIf(runs).each([[[]], [['--json']]])(
    `sync %j fails ${ends}, leaves the folder free, and goes on from there`,
    async words => {
      const state = join(at.folder, `state-${fresh++}`)
      expect(await run([...syncWords(state), ...words])).toMatchObject({
        code,
        err: expect.stringMatching(failureOf(words)),
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

test('a file on standard output is the file of the service, and nothing is beside it', async () => {
  const path = join(at.folder, 'items.tsv.gz')
  const file = openSync(path, 'w')
  const { code, err } = await ended(built.start([...DOWNLOAD, fileId, ...serviceWords()], file))
  closeSync(file)
  const other = join(at.folder, 'other.tsv.gz')
  const words = [...DOWNLOAD, fileId, ...serviceWords(), '--out', other]
  expect(await ended(built.start(words))).toMatchObject({ code: 0, err: '' })
  expect([code, err, readFileSync(path).equals(readFileSync(other))]).toEqual([0, '', true])
}, 60_000)

test('a secret of the environment is in no help, output or message', async () => {
  const secret = 'env-secret-4711'
  process.env.FEEDMILL_CLIENT_ID = 'client'
  process.env.FEEDMILL_CLIENT_SECRET = secret
  try {
    const service = serviceWords().slice(0, 6)
    for (const words of [
      ['catalog', 'access', '--help'],
      ['sync', '--help'],
      ['catalog', 'access', ...service],
      ['catalog', 'access', ...service, '--json'],
    ]) {
      const { out, err } = await ended(built.start(words))
      expect(out + err).not.toContain(secret)
      // The emulator refuses these credentials, so the command has used them.
      if (!words.includes('--help')) expect(err).toContain('TOKEN_REFUSED')
    }
  } finally {
    delete process.env.FEEDMILL_CLIENT_ID
    delete process.env.FEEDMILL_CLIENT_SECRET
  }
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
