// Feeds of one's own as jobs of workers: in this process, and in processes of which one is killed in
// the middle of a file. The rows and the ledgers equal those of runs that nothing has disturbed.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineSchema, text } from '../../../src/index'
import { postgresTarget } from '../../../src/integrations/postgres'
import {
  type FeedWorker,
  type FeedWorkerOptions,
  type JobReport,
  queueStatus,
  scheduleCategories,
  startWorker,
  unscheduleCategories,
} from '../../../src/integrations/queue'
import { type FeedSource, readFeedFile, runCategory, type SourceFile } from '../../../src/sync'
import { runsWithService } from '../../services'
import { type TestDatabase, testDatabase } from '../postgres/test-database'
import { buildsChildren, Child } from './child'
import { fileTarget, ledgerOf } from './file-target'
import { QueueShop, until } from './queue-shop'
import { FEEDS, FILES, writeFeeds } from './small-feeds'

buildsChildren()

/** Processes start slowly on a busy machine. */
const SLOW = { timeout: 120_000 }

/** The rows and the ledger, without the time at which a file was applied. */
const CONTENT = [
  ...FEEDS.map(name => `SELECT '${name}' AS part, to_jsonb(r) AS row FROM feedmill.${name} r`),
  `SELECT 'files', to_jsonb(r) - 'applied_at' FROM feedmill.files r ORDER BY 1, 2`,
].join(' UNION ALL ')

const hasPostgres = await runsWithService('postgres')

describe.runIf(await runsWithService('redis'))('feeds of jobs', () => {
  let shop: QueueShop
  let paths: string[]
  let sources: readonly FeedSource[]
  const closing: (() => unknown)[] = []
  beforeEach(async () => {
    shop = await QueueShop.open()
    paths = writeFeeds(join(shop.folder, 'feeds'))
    sources = await Promise.all(paths.map(path => readFeedFile(path)))
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    await shop.close()
  })

  const schedule = (options = {}) =>
    scheduleCategories({ queue: shop.queue, sources, backoffMs: 20, ...options })

  async function worker(options: Partial<FeedWorkerOptions> = {}) {
    const reports: JobReport[] = []
    const started: FeedWorker = await startWorker({
      queue: shop.queue,
      target: fileTarget(shop.folder),
      sources,
      lockMs: 10_000,
      retry: { patienceMs: 4, backoffBaseMs: 0, backoffCapMs: 1 },
      onJob: report => void reports.push(report),
      ...options,
    })
    closing.push(() => started.close())
    const told = async (state: JobReport['message']['state'], count = 1) => {
      const found = () => reports.filter(({ message }) => message.state === state)
      await until(() => found().length >= count)
      return found()
    }
    return { reports, told, close: () => started.close() }
  }

  /** The ledger of each feed, without the times of its entries. */
  const ledgers = (folder = shop.folder) => FEEDS.map(name => ledgerOf(folder, name))

  async function undisturbed(): Promise<ReturnType<typeof ledgers>> {
    const folder = join(shop.folder, 'undisturbed')
    for (const source of sources) await runCategory(source, { target: fileTarget(folder) })
    const expected = ledgers(folder)
    expect(expected.map(({ length }) => length)).toEqual(FEEDS.map(() => FILES))
    return expected
  }

  test('two workers bring each feed up to its list, and each next job to what is new', async () => {
    const growing: FeedSource = {
      ...sources[0]!,
      files: () => (shown ? files : files.slice(0, 2)),
    }
    const files = sources[0]!.files as readonly SourceFile[]
    let shown = false
    sources = [growing, ...sources.slice(1)]
    await schedule({ everyMs: 300, target: 'files' })
    const both = [await worker(), await worker()]
    const reports = () => both.flatMap(one => one.reports)
    const completed = () => reports().filter(({ message }) => message.state === 'completed')
    const of = (name: string) => completed().filter(({ message }) => message.categoryId === name)
    await until(() => FEEDS.every(name => of(name).length > 0))
    expect(of('partner')[0]).toMatchObject({
      message: { marketplace: 'own', attempt: 1 },
      result: { files: 2, failed: [], missing: [], nextAt: undefined },
    })
    shown = true
    await until(() => of('partner').some(({ result }) => result?.files === FILES - 2))
    expect(ledgers()).toEqual(await undisturbed())
    expect(reports().filter(({ error }) => error !== undefined)).toEqual([])
    const { categories } = await queueStatus(shop.queue)
    expect(categories.map(({ categoryId }) => categoryId).sort()).toEqual(FEEDS)
    expect(categories[0]).toMatchObject({ marketplace: 'own', target: 'files' })
    for (const { close } of both) await close()
    expect(await unscheduleCategories({ queue: shop.queue, sources })).toEqual(FEEDS)
    expect((await queueStatus(shop.queue)).categories).toEqual([])
  })

  test('a feed that no worker has fails with its name, and the others go on', async () => {
    await schedule({ sources: [{ name: 'elsewhere' }, ...sources], attempts: 2 })
    const { told, close } = await worker()
    const [failed] = await told('failed')
    expect(failed).toMatchObject({
      message: { categoryId: 'elsewhere', attempt: 2, code: 'QUEUE_FAILED' },
      error: { context: { operation: 'start a job' } },
    })
    expect((await told('retried')).length).toBe(1)
    await told('completed', FEEDS.length)
    const { failures, jobs } = await queueStatus(shop.queue)
    expect([failures.length, jobs.failed]).toEqual([1, 1])
    expect(failures[0]?.reason).toMatch(/does not have own\/elsewhere: give all workers/)
    await close()
    // A worker that has it takes its next job.
    await schedule({ sources: [{ name: 'elsewhere' }], everyMs: 50 })
    const having = await worker({ sources: [{ ...sources[0]!, name: 'elsewhere' }] })
    expect((await having.told('completed'))[0]?.result).toMatchObject({ files: FILES })
  })

  test('a worker of a service has no feed, and one of feeds has no category', async () => {
    await schedule({ sources: sources.slice(0, 1), attempts: 1 })
    const ofService = await shop.worker()
    const wrong = await ofService.told('failed')
    expect(wrong).toMatchObject({
      error: { code: 'QUEUE_FAILED' },
      message: { marketplace: 'own' },
    })
    await ofService.worker.close()
    await shop.schedule({ attempts: 1 })
    const [failed] = await (await worker()).told('failed')
    expect(failed).toMatchObject({
      error: { code: 'QUEUE_FAILED' },
      message: { categoryId: '220' },
    })
    expect([shop.files('220'), shop.files('partner')]).toEqual([[], []])
  })

  test('a file that is not there fails its job until it is there, and Redis has no secret', async () => {
    let isThere = false
    const server = createServer((_, answer) => {
      if (isThere) return answer.setHeader('etag', '"1"').end('sku\tstock\tseen\tnote\n')
      answer.statusCode = 404
      answer.end()
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const from = `http://127.0.0.1:${port}/full?signature=hunter2`
    const time = new Date('2026-03-01T00:00:00Z')
    const signed: FeedSource = {
      ...sources[0]!,
      files: [{ id: 'full', from, kind: 'full', time }],
      headers: { Authorization: 'Bearer hunter3' },
    }
    await schedule({ sources: [signed], everyMs: 100 })
    const { told } = await worker({ sources: [signed] })
    const [failed] = await told('failed', 2)
    expect(failed).toMatchObject({ error: { code: 'SYNC_FILE_FAILED' }, message: { attempt: 1 } })
    const content = await shop.contentOfRedis()
    expect(content).toContain(`http://127.0.0.1:${port}/full`)
    expect(content).not.toMatch(/hunter|Bearer/)
    isThere = true
    expect((await told('completed'))[0]?.result?.failed).toEqual([])
    expect(ledgerOf(shop.folder, 'partner').length).toBe(1)
  })

  test('of two workers in processes one is killed in the middle of a file', SLOW, async () => {
    const expected = await undisturbed()
    await schedule()
    const killed = new Child(shop, { feeds: paths })
    closing.push(() => killed.kill())
    await killed.says('stopping')
    const other = new Child(shop, { feeds: paths, stopsAt: 0 })
    closing.push(() => other.kill())
    expect(ledgers().flat().length).toBeLessThan(FEEDS.length * FILES)
    await killed.kill()
    for (const name of FEEDS) await other.says(`completed ${name}`)
    expect(ledgers()).toEqual(expected)
  })

  describe.runIf(hasPostgres)('into PostgreSQL', () => {
    let databases: TestDatabase[]
    beforeEach(async () => {
      databases = [await testDatabase(), await testDatabase()]
    })
    afterEach(async () => {
      // Nothing may be connected to them.
      for (const close of closing.splice(0).reverse()) await close()
      for (const database of databases) await database.drop()
    })

    test('of two workers in processes one is killed in a transaction', SLOW, async () => {
      const [calm, disturbed] = databases as [TestDatabase, TestDatabase]
      for (const source of sources) await runCategory(source, { target: postgresTarget(calm.url) })
      await schedule({ everyMs: 2_000 })
      const order = { feeds: paths, postgres: disturbed.url, fileMs: 150, stopsAt: 0 }
      const [killed, other] = [new Child(shop, order), new Child(shop, order)]
      closing.push(
        () => killed.kill(),
        () => other.kill(),
      )
      // Both make the tables of their first feeds at the same time.
      await Promise.all([killed.says('started'), other.says('started')])
      const count = async () => {
        const [there] = await disturbed.sql(
          `SELECT to_regclass('feedmill.files') IS NOT NULL AS is`,
        )
        if (there?.is !== true) return 0
        return (await disturbed.sql('SELECT file FROM feedmill.files')).length
      }
      const works = () => /started \w+\n$/.test(killed.output)
      await until(async () => works() && (await count()) >= 3)
      await killed.kill()
      expect([works(), (await count()) < FEEDS.length * FILES]).toEqual([true, true])
      await until(async () => (await count()) >= FEEDS.length * FILES)
      const content = await calm.sql(CONTENT)
      expect(content.length).toBeGreaterThan(FEEDS.length * 200)
      expect(await disturbed.sql(CONTENT)).toEqual(content)
      expect(other.output).not.toMatch(/failed/)
    })
  })
})

const schema = defineSchema({ name: 'one', columns: { sku: text() } })
const FEED = { name: 'one', schema, key: 'sku', files: [] }

test.each([
  ['service', { service: {} }],
  ['now', { now: new Date() }],
  ['sources', { sources: [] }],
  ['sources', { sources: undefined }],
  ['sources[0]', { sources: [null] }],
  ['sources[0].name', { sources: [{ name: 'a/b' }] }],
  ['sources[1].name', { sources: [{ name: 'one' }, { name: 'one' }] }],
  ['sources[1].key', { sources: [FEED, { ...FEED, name: 'two', key: 'no' }] }],
  ['memoryBytes', { sources: [FEED], memoryBytes: 1 }],
])('a wrong %s beside feeds is refused before any connection', async (option, wrong) => {
  const given = { queue: { url: 'redis://127.0.0.1:9' }, target: fileTarget('nowhere'), ...wrong }
  const sources = 'sources' in wrong ? wrong.sources : [FEED]
  await expect(startWorker({ ...given, sources } as never)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
    message: expect.stringContaining(`${option} `),
  })
})

test.each([
  ['marketplace', { marketplace: 'MKT_US' }],
  ['categories', { categories: ['220'] }],
  ['sources', { sources: [] }],
  ['sources[1].name', { sources: [{ name: 'one' }, { name: 'one' }] }],
])('a wrong %s beside scheduled feeds is refused before any connection', async (option, wrong) => {
  const given = { queue: { url: 'redis://127.0.0.1:9' }, sources: [{ name: 'one' }], ...wrong }
  for (const call of [scheduleCategories, unscheduleCategories])
    await expect(call(given as never)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option },
    })
})
