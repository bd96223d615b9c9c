// A synchronisation in a process of its own, which a test kills. Its one argument has the options;
// it prints a line for each event, and `done` at the end.

import { createFeedService, defineProfile } from '../../src/service'
import { type SyncEvent, sync } from '../../src/sync'
import type { MemoryShares } from '../../src/sync/memory-shares'

export interface WorkerOrder {
  readonly url: string
  readonly tokenUrl: string
  readonly scopeBase: string
  readonly clientId: string
  readonly clientSecret: string
  readonly folder: string
  readonly nowMs: number
  readonly shares: Partial<MemoryShares>
  /** Default `files`. */
  readonly changes?: 'none' | 'files'
  readonly memoryBytes?: number
  /**
   * The process stops itself at the first event of this type, as SIGSTOP from outside would stop
   * it, and waits to be killed.
   */
  readonly stopsAt?: SyncEvent['type']
}

const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder
const { clientId, clientSecret, folder, nowMs, shares, changes = 'files' } = order
const profile = defineProfile({
  baseUrl: order.url,
  tokenUrl: order.tokenUrl,
  scopeBase: order.scopeBase,
})
const service = createFeedService(
  profile,
  { clientId, clientSecret },
  { now: new Date(nowMs), headersTimeoutMs: 600_000 },
)
try {
  const run = sync({
    service,
    marketplace: 'MKT_US',
    categories: ['220'],
    folder,
    now: new Date(nowMs),
    changes,
    ...(order.memoryBytes !== undefined && { memoryBytes: order.memoryBytes }),
    keepFileBytes: 2 ** 30,
    shares,
  })
  // Progress events depend on the time that has passed; all other events are the same in each run.
  for await (const { type } of run) {
    if (type !== 'progress') console.log(`event ${type}`)
    if (type === order.stopsAt) process.kill(process.pid, 'SIGSTOP')
  }
  console.log(
    JSON.stringify({ done: true, maxRss: process.resourceUsage().maxRSS, cpu: process.cpuUsage() }),
  )
} finally {
  await service.close()
}
