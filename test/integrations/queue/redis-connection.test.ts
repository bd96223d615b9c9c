// Servers of Redis that do not answer, and servers that want a password.

import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { queueStatus, scheduleCategories } from '../../../src/integrations/queue'
import { runsWith } from '../../tools'
import { buildsChildren, Child } from './child'
import { type OwnServer, ownRedis } from './own-servers'
import { QueueShop } from './queue-shop'

const TIMEOUT_MS = 800
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

buildsChildren()

const NO_ANSWER = { code: 'QUEUE_FAILED', retryable: true }

describe.runIf(runsWith('redis-server'))('a server', () => {
  let server: OwnServer
  let shop: QueueShop
  beforeEach(async () => {
    server = await ownRedis()
    shop = await QueueShop.open(server.url)
  })
  afterEach(async () => {
    server.thaw()
    await shop.close()
    await server.close()
  })
  const briefly = () => ({ ...shop.queue, timeoutMs: TIMEOUT_MS })
  const schedule = (queue = shop.queue) =>
    scheduleCategories({ queue, marketplace: 'MKT_US', categories: ['220'] })

  test('fault 167: one that is frozen ends a worker without jobs', async () => {
    const { worker } = await shop.worker({ queue: briefly() })
    server.freeze()
    await expect(worker.ended).rejects.toMatchObject({
      ...NO_ANSWER,
      context: { operation: 'ping', reason: `no answer in ${TIMEOUT_MS} ms` },
    })
  })

  test('fault 167: one that is frozen during a job ends the worker, and the file is rolled back', async () => {
    await schedule()
    let files = 0
    const beforeEntry = async ({ signal }: { readonly signal: AbortSignal }) => {
      if (++files < 2) return
      server.freeze()
      await new Promise(resolve => signal.addEventListener('abort', resolve))
    }
    // Not even the end of the time for draining is waited for.
    const given = { queue: briefly(), drainMs: 600_000, files: { beforeEntry } }
    const { worker } = await shop.worker(given)
    await expect(worker.ended).rejects.toMatchObject(NO_ANSWER)
    expect(shop.files().length).toBe(1)
    server.thaw()
    const { told } = await shop.worker({ lockMs: 300 })
    await told('delayed')
    expect(new Set(shop.files()).size).toBe(shop.files().length)
  })

  test('fault 167: one that is frozen for less than the limit ends nothing', async () => {
    await schedule()
    const beforeEntry = async () => {
      server.freeze()
      await new Promise(resolve => setTimeout(resolve, 50))
      server.thaw()
    }
    const queue = { ...shop.queue, timeoutMs: 5_000 }
    const { told, worker } = await shop.worker({ queue, files: { beforeEntry } })
    await told('delayed')
    await worker.close()
    await worker.ended
  })

  test('fault 167: a worker that is stopped itself reads first what has arrived, and goes on', async () => {
    const child = new Child(shop, { queue: briefly(), stopsAt: 0 })
    try {
      // The first job shows that the worker is there.
      await schedule()
      await child.says('delayed')
      server.freeze()
      // The worker asks whether the server is there, at least once in a quarter of the limit.
      await pause(TIMEOUT_MS / 2)
      child.process.kill('SIGSTOP')
      await pause(TIMEOUT_MS)
      server.thaw()
      await pause(TIMEOUT_MS / 4)
      child.process.kill('SIGCONT')
      await scheduleCategories({ queue: shop.queue, marketplace: 'MKT_US', categories: ['267'] })
      await child.says('delayed 267')
      expect(child.output).not.toContain('Error')
    } finally {
      await child.kill()
    }
  })

  test('fault 167: one that is frozen ends a call, before its connection and after it', async () => {
    server.freeze()
    await expect(schedule(briefly())).rejects.toMatchObject({
      ...NO_ANSWER,
      context: { operation: 'connect' },
    })
    server.thaw()
    const info = Redis.prototype.info
    try {
      // The last question of a connection that is being made.
      Redis.prototype.info = async function (this: Redis, ...words: never[]) {
        const answer = await info.apply(this, words)
        if (String(words[0]) === 'memory') server.freeze()
        return answer
      } as typeof info
      await expect(schedule(briefly())).rejects.toMatchObject({
        ...NO_ANSWER,
        context: { operation: 'schedule' },
      })
    } finally {
      Redis.prototype.info = info
    }
  })

  test.each(['', 'user:wrong-one@', ':wrong-one@'])(
    'fault 167: one that wants another password than that of %j refuses at once',
    async given => {
      await shop.redis.config('SET', 'requirepass', 'right-one')
      // The default limit of half a minute is longer than the limit of the test.
      const url = server.url.replace('//', `//${given}`)
      const error = await queueStatus({ url }).catch((thrown: Error) => thrown)
      expect(error).toMatchObject({ code: 'QUEUE_FAILED', retryable: false })
      expect(String(error)).toMatch(/(NOAUTH|WRONGPASS): give the password .*queue\.password/)
      expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain('wrong-one')
      const right = server.url.replace('//', '//:right-one@')
      expect(await queueStatus({ url: right })).toMatchObject({ workers: [] })
    },
  )

  test('fault 165: the cause of a failed operation has no command, which may have a password', async () => {
    await shop.redis.set(`feedmill:${shop.queue.name}:repeat`, 'no list')
    const error = await queueStatus(shop.queue).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'QUEUE_FAILED', context: { operation: 'status' } })
    expect((error as Error).cause).not.toHaveProperty('command')
  })
})
