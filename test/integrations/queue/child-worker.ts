// A worker in a process of its own, which a test stops, continues and kills. Its one argument has
// the options; it prints a line for each report of a job.

import { postgresTarget } from '../../../src/integrations/postgres'
import { startWorker, type WorkerOptions } from '../../../src/integrations/queue'
import { createFeedService, defineProfile } from '../../../src/service'
import { readFeedFile, type SyncTarget } from '../../../src/sync'
import { changedTarget, withRows } from '../../sync/target/changed-target'
import { fileTarget } from './file-target'

export interface ChildOrder {
  readonly profile: {
    readonly baseUrl: string
    readonly tokenUrl: string
    readonly scopeBase: string
  }
  readonly credentials: { readonly clientId: string; readonly clientSecret: string }
  readonly queue: { readonly url: string; readonly name: string }
  readonly folder: string
  readonly nowMs: number
  readonly lockMs: number
  readonly leaseMs: number
  /** The process stops itself, as SIGSTOP would, before the entry of this file, from 1. */
  readonly stopsAt: number
  /** The address of a database of PostgreSQL, which is then the target in place of the folder. */
  readonly postgres?: string
  /** Milliseconds that each file waits: in PostgreSQL in the middle of its transaction. */
  readonly fileMs?: number
  /** The name of the target that is a folder. */
  readonly target?: string
  /** Paths of descriptions of feeds, which the worker follows in place of the service. */
  readonly feeds?: readonly string[]
  /** The process waits for the end of the run there instead, and goes on living. */
  readonly waits?: boolean
}

const order = JSON.parse(process.argv[2] ?? '') as ChildOrder
const service = createFeedService(defineProfile(order.profile), order.credentials, {
  now: new Date(order.nowMs),
})
let files = 0
const place = fileTarget(order.folder, {
  leaseMs: order.leaseMs,
  beforeEntry: async ({ signal }) => {
    await new Promise(resolve => setTimeout(resolve, order.fileMs ?? 0))
    if (++files !== order.stopsAt) return
    console.log('stopping')
    if (order.waits)
      return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    // The line must be out before the process stops.
    await new Promise(resolve => setTimeout(resolve, 20))
    process.kill(process.pid, 'SIGSTOP')
    // What the process was sent while it was stopped arrives first, as with a long file.
    await new Promise(resolve => setTimeout(resolve, 50))
  },
})
const folder: SyncTarget = {
  name: order.target ?? place.name,
  open: async options => {
    const open = await place.open(options)
    const close = () => open.close().then(() => console.log('closed'))
    return { category: category => open.category(category), close }
  },
}
const target = order.postgres === undefined ? folder : slowPostgres(order.postgres)
const shared: Omit<WorkerOptions, 'service'> = {
  queue: order.queue,
  target,
  lockMs: order.lockMs,
  onJob: ({ message: { state, code, categoryId } }) =>
    console.log([state, code, categoryId].filter(Boolean).join(' ')),
}
const sources = order.feeds && (await Promise.all(order.feeds.map(path => readFeedFile(path))))
const worker = await (sources
  ? startWorker({ sources, ...shared })
  : startWorker({ service, ...shared }))
// Whoever runs workers starts one again that has ended.
worker.ended.catch(error => {
  console.log(String(error))
  process.exit(1)
})
process.once('SIGTERM', async () => {
  await worker.close()
  await service.close()
  console.log('drained')
})

/** A database whose files wait behind their first batch, so that kills meet a transaction. */
function slowPostgres(url: string): SyncTarget {
  const quick = { lockTimeoutMs: 300, retry: { backoffBaseMs: 1, backoffCapMs: 50 } }
  return changedTarget(postgresTarget(url, quick), file =>
    withRows(file, async function* () {
      let waitMs = order.fileMs ?? 0
      for await (const rows of file.rows()) {
        yield rows
        await new Promise(resolve => setTimeout(resolve, waitMs))
        waitMs = 0
      }
    }),
  )
}
