// Jobs that somebody has written into Redis by hand, or damaged, so that BullMQ cannot start them.
// BullMQ would take and drop such a job again and again, and report nothing.

import { type CategoryQueue, KEY_PREFIX, type QueueConnection } from './redis-connection'
import { EVERY_MS, jobOptions } from './schedule-categories'

/**
 * Makes readable jobs without data of those that were taken and cannot be started, and gives them
 * back. The next worker fails them as any damaged job, and their schedulers make their next jobs.
 */
export async function mendJobs({ queue, redis }: QueueConnection): Promise<void> {
  const keyOf = (part: string) => `${KEY_PREFIX}:${queue.name}:${part}`
  for (const id of await queue.getRanges(['active'])) {
    if (!(await isUnstartable(queue, id))) continue
    const scheduler = /^repeat:(.*):\d+$/.exec(id)?.[1]
    const made = await queue.getJobScheduler(scheduler ?? '').catch(() => undefined)
    // The options of a job are those of the next one. The scheduler knows the time of that.
    const opts = { ...(made?.template?.opts ?? jobOptions()), repeat: { every: EVERY_MS } }
    const job = {
      name: 'category',
      data: 'null',
      opts: JSON.stringify(opts),
      timestamp: Date.now(),
    }
    await redis
      .multi()
      .del(keyOf(id), keyOf(`${id}:lock`))
      .hset(keyOf(id), scheduler === undefined ? job : { ...job, rjk: scheduler })
      .lrem(keyOf('active'), 0, id)
      .rpush(keyOf('wait'), id)
      .zadd(keyOf('marker'), 0, '0')
      .exec()
  }
}

/** Says whether a job cannot be read, or lacks what BullMQ makes the next job of. */
async function isUnstartable(queue: CategoryQueue, id: string): Promise<boolean> {
  try {
    const job = await queue.getJob(id)
    const { repeat } = Object(job?.opts) as { readonly repeat?: { readonly every?: unknown } }
    return job?.repeatJobKey !== undefined && typeof repeat?.every !== 'number'
  } catch (error) {
    // What a lost connection throws says nothing about the job.
    return /^(Syntax|Type)Error|WRONGTYPE/.test(String(error))
  }
}
