// The commands over a queue, with a target of files in place of a database.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { program, run } from '../../../src/cli/program'
import { queueOf } from '../../../src/cli/queue/queue-setting'
import { statusLines } from '../../../src/cli/queue/queue-status'
import { reportLine } from '../../../src/cli/queue/worker'
import { FeedError } from '../../../src/engine/errors'
import type { SyncTarget } from '../../../src/sync'
import { fileTarget } from '../../integrations/queue/file-target'
import { CATEGORIES, NOW, QueueShop, until } from '../../integrations/queue/queue-shop'
import { FEEDS, FILES, writeFeeds } from '../../integrations/queue/small-feeds'
import { runsWithService } from '../../services'
import { outcomeOf } from '../served'

const printed: string[] = []
let target: SyncTarget
vi.mock('../../../src/cli/output', async original => ({
  ...(await original<typeof import('../../../src/cli/output')>()),
  print: async (text: string) => void printed.push(text),
}))
vi.mock('../../../src/cli/sync/target-option', () => ({
  TARGET_FORMS: 'a target of the test',
  targetPlace: (place: string) => place,
  targetOf: async () => target,
}))
afterEach(() => {
  printed.length = 0
  vi.unstubAllEnvs()
})

const call = (...words: string[]) => program([]).parseAsync(['node', 'cli.js', ...words])

describe('the queue of a command', () => {
  const queue = 'redis://queue.example'

  test('the password comes from the environment, or from a private file', async () => {
    expect(queueOf({ queue }, {})).toEqual({ url: queue })
    const env = { FEEDMILL_QUEUE_PASSWORD: 'one' }
    expect(queueOf({ queue, queueName: 'other' }, env)).toEqual({
      url: queue,
      name: 'other',
      password: 'one',
    })
    const folder = await mkdtemp(join(tmpdir(), 'feedmill-password-'))
    const path = join(folder, 'queue.json')
    await writeFile(path, '{"password":"two"}', { mode: 0o600 })
    expect(queueOf({ queue, queueCredentials: path }, env).password).toBe('two')
    await writeFile(path, '{}')
    expect(() => queueOf({ queue, queueCredentials: path }, env)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
    await rm(folder, { recursive: true })
  })
})

test('a line of a job names the category, the result, the next time and the error', () => {
  const message = {
    state: 'retried',
    queue: 'feedmill',
    job: '1',
    marketplace: 'MKT_US',
    categoryId: '220',
    attempt: 2,
    nextAt: NOW,
  } as const
  const error = new FeedError('HTTP_TRANSPORT', 'it is away', { url: '' })
  expect(reportLine({ message, error })).toBe(
    `MKT_US 220: retried, again at ${NOW.toISOString()}: HTTP_TRANSPORT: it is away`,
  )
})

test('the status of a queue in words', () => {
  const category = { marketplace: 'MKT_US', categoryId: '220', target: undefined }
  const lines = statusLines({
    queue: 'redis://queue.example feedmill',
    jobs: { waiting: 0, active: 1, delayed: 2, completed: 0, failed: 1 },
    categories: [{ ...category, nextAt: NOW, worker: 'host:7' }],
    failures: [{ marketplace: 'MKT_US', categoryId: '220', at: NOW, reason: 'STATE_IO: full' }],
    workers: ['host:7'],
  })
  expect(lines).toEqual([
    'redis://queue.example feedmill',
    'jobs: 0 waiting, 1 active, 2 delayed, 0 completed, 1 failed',
    'workers: host:7',
    `category MKT_US 220: due at ${NOW.toISOString()}, runs on host:7`,
    `failed: MKT_US 220 at ${NOW.toISOString()}: STATE_IO: full`,
  ])
})

test.each([
  ['schedule', [], "required option '--marketplace <id>' not specified, nor --source <file>"],
  ['unschedule', ['--marketplace', 'MKT_US'], "'--category <id>' not specified, nor --source"],
  ['schedule', ['--source', 'feed.json', '--category', '220'], 'cannot be used with option'],
  ['worker', ['--source', 'feed.json', '--requests-per-day', '9'], 'cannot be used with option'],
  ['worker', ['--source', 'no-feed.json'], 'no-feed.json'],
])('%s refuses %j', async (name, given, message) => {
  const place = ['--queue', 'redis://127.0.0.1:9', ...(name === 'worker' ? ['--to', 'x'] : [])]
  target = fileTarget('nowhere')
  const { err, exitCode } = await outcomeOf(() => run(['node', 'cli.js', name, ...place, ...given]))
  expect([err.join('\n'), exitCode]).toEqual([expect.stringContaining(message), 2])
})

describe.runIf(await runsWithService('redis'))('the commands', () => {
  let shop: QueueShop
  let words: readonly string[]
  beforeEach(async () => {
    shop = await QueueShop.open()
    target = fileTarget(shop.folder)
    words = ['--queue', shop.queue.url, '--queue-name', shop.queue.name]
  })
  afterEach(() => shop.close())

  test('schedule, work until a signal, show and unschedule', async () => {
    const { emulator, url } = shop
    vi.stubEnv('FEEDMILL_CLIENT_ID', emulator.clientId)
    vi.stubEnv('FEEDMILL_CLIENT_SECRET', emulator.clientSecret)
    const chosen = ['--marketplace', 'MKT_US', ...CATEGORIES.flatMap(id => ['--category', id])]
    await call('schedule', ...words, ...chosen, '--to', 'files:')
    expect(printed).toEqual(['MKT_US 220, 267: scheduled every 3600 s'])

    const service = ['--base-url', url, '--token-url', url + emulator.tokenPath]
    const clock = ['--now', NOW.toISOString(), '--scope-base', emulator.scopeBase]
    const limits = ['--requests-per-second', '1000', '--requests-per-day', '10000']
    const working = call(
      'worker',
      ...words,
      '--to',
      'files:',
      '--json',
      ...service,
      ...clock,
      ...limits,
    )
    await until(() => printed.filter(line => line.includes('"delayed"')).length === 2)
    process.emit('SIGTERM')
    await working
    expect(process.exitCode ?? 0).toBe(0)
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({
      state: 'delayed',
      files: expect.any(Number),
    })
    expect(shop.files().length).toBeGreaterThan(4)

    await call('status', ...words, '--json')
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({
      jobs: { delayed: 4 },
      categories: [{ target: 'files' }, { target: 'files' }],
      workers: [],
    })
    await call('unschedule', ...words, ...chosen)
    expect(printed.at(-1)).toBe('MKT_US 220, 267: removed')
    await call('unschedule', ...words, ...chosen)
    expect(printed.at(-1)).toBe('MKT_US nothing was scheduled')
  })

  test('the same with feeds of your own, which need no service', async () => {
    const paths = writeFeeds(join(shop.folder, 'feeds'))
    const chosen = paths.flatMap(path => ['--source', path])
    await call('schedule', ...words, ...chosen, '--to', 'files:', '--every', '300')
    expect(printed).toEqual(['own partner, prices, stock: scheduled every 300 s'])
    const working = call('worker', ...words, '--to', 'files:', ...chosen)
    const completed = () => printed.filter(line => line.includes('completed'))
    await until(() => completed().length === FEEDS.length)
    process.emit('SIGTERM')
    await working
    expect(completed().sort()[0]).toMatch(
      new RegExp(`^own partner: completed, ${FILES} files, \\d+ rows, up to 2026-03-06T00:00:00`),
    )
    expect(FEEDS.map(name => shop.files(name).length)).toEqual(FEEDS.map(() => FILES))
    await call('status', ...words)
    expect(String(printed.at(-1))).toContain('category own stock: due at ')
    await call('unschedule', ...words, '--source', paths[0]!, '--json')
    expect(JSON.parse(printed.at(-1)!)).toEqual({ marketplace: 'own', removed: ['partner'] })
    // A feed whose description is gone has its name.
    await call('unschedule', ...words, '--marketplace', 'own', '--category', 'prices')
    expect(printed.at(-1)).toBe('own prices: removed')
  })
})
