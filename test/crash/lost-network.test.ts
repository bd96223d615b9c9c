// Writers whose machine loses its network or its power, so that the server of the database gets no
// word of their end. A network namespace stands for the machine, and its link for the network.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresTarget } from '../../src/integrations/postgres'
import { builtScripts } from '../built-scripts'
import { CATEGORY, ORIGIN } from '../integrations/postgres/small-file'
import { type OwnServer, ownPostgres } from '../integrations/queue/own-servers'
import { runsWith } from '../tools'

/** What queue.md promises. */
const PROMISED_MS = 60_000
const WRITERS = ['idle', 'copy', 'statement']
const SLOW_STATEMENT = `
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$;
CREATE TRIGGER waiting BEFORE INSERT ON feedmill.files FOR EACH ROW
  WHEN (NEW.feed_category = 'statement') EXECUTE FUNCTION wait()`
const STATES = `SELECT coalesce(wait_event, state) AS at FROM pg_stat_activity
  WHERE application_name = 'feedmill' ORDER BY 1`

const NAME = `fm${process.pid}`
/** Addresses for networks of tests. */
const SERVER = '198.18.77.1'
const run = promisify(execFile)
const ip = (words: string) => run('ip', words.split(' '))

const isChosen = process.env.FEEDMILL_CRASH === 'all' && runsWith('ip')
const isRoot = process.getuid?.() === 0
if (isChosen && !isRoot)
  console.warn('LEFT OUT: a writer that loses its network, because only root makes namespaces.')

describe.runIf(isChosen && isRoot)('a writer that loses its network', () => {
  let server: OwnServer
  let scripts: string

  beforeAll(async () => {
    await ip(`netns add ${NAME}`)
    await ip(`link add ${NAME} type veth peer name inside netns ${NAME}`)
    await ip(`addr add ${SERVER}/30 dev ${NAME}`)
    await ip(`link set ${NAME} up`)
    await ip(`-n ${NAME} addr add 198.18.77.2/30 dev inside`)
    await ip(`-n ${NAME} link set inside up`)
    server = await ownPostgres(SERVER)
    scripts = await builtScripts('lost-network', { writer: 'test/crash/lost-writer.ts' })
  }, 120_000)
  afterAll(async () => {
    await server?.close()
    await ip(`netns delete ${NAME}`)
    await rm(scripts, { recursive: true, force: true })
  })

  async function take(categoryId: string) {
    const target = postgresTarget(server.url, {
      lockTimeoutMs: PROMISED_MS,
      retry: { patienceMs: 0 },
    })
    const { signal } = new AbortController()
    const opened = await target.open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
    try {
      return await opened.category({ ...CATEGORY, categoryId })
    } finally {
      await opened.close()
    }
  }

  test('fault 111: another writer has the lock within the promised time', async () => {
    await take('none')
    const client = new Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    await client.query(SLOW_STATEMENT)
    const words = ['netns', 'exec', NAME, process.execPath, join(scripts, 'writer.js'), server.url]
    const writer = spawn('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    writer.stderr.on('data', part => {
      said += part
    })
    const states = async () => [...(await client.query(STATES)).rows.map(({ at }) => at), said]
    await expect
      .poll(states, { timeout: 30_000 })
      .toEqual(['ClientRead', 'ClientRead', 'PgSleep', ''])
    await ip(`-n ${NAME} link set inside down`)
    writer.kill('SIGKILL')
    await once(writer, 'close')
    const taken = await Promise.all(WRITERS.map(take))
    expect(taken.map(({ files }) => files)).toEqual([[], [], []])
    await client.end()
  }, 120_000)
})
