// The emulated service of the demo: a process of its own, so that the demo does not count its
// memory and time; the client of it; and the making of its files before the clock starts.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { World } from '../../emulator'
import { FeedError } from '../../index'
import { createFeedService, defineProfile, type FeedService } from '../../service'
import { progressBar } from '../progress-bar'
import type { ServeAddress } from '../serve'

/** The category of the emulated service. */
export const PLACE = { marketplace: 'MKT_US', categoryId: '220' } as const

/**
 * The bootstraps of items and groups, and the snapshots of a day: the default files of the emulated
 * service.
 */
export const FILES = 26

/** Ranges of 1 MB, of which four are held or in flight, so that the memory is small. */
export const RANGES = { chunkBytes: 2 ** 20, windowBytes: 4 * 2 ** 20 } as const

/**
 * The emulated service needs minutes to make a file of millions of items, and answers only then.
 */
const HEADERS_TIMEOUT_MS = 600_000
const HOUR_MS = 3_600_000
const MAKING = 'the emulated service makes the files'

/** @param cli the script of the command */
export async function startEmulator(cli: string, items: number, seed: number) {
  const child = fork(cli, ['serve', '--json', '--items', String(items), '--seed', String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Flags for debugging and profiling would also apply to the other process, and it would print.
    execArgv: [],
  })
  const exited = once(child, 'exit')
  const close = async () => {
    child.kill()
    await exited
  }
  const address = await Promise.race([addressOf(child), exited.then(() => undefined)])
  if (address !== undefined) return { address, close }
  await close()
  throw new FeedError('STAGE_FAILED', 'the emulated service did not start', { stage: 'serve' })
}

async function addressOf({ stdout }: ChildProcess): Promise<ServeAddress | undefined> {
  try {
    for await (const line of createInterface({ input: stdout! }))
      return JSON.parse(line) as ServeAddress
  } catch {}
  return undefined
}

/** @param now the service's clock: the start of its time windows */
export function demoService(address: ServeAddress, now: Date): FeedService {
  const { url: baseUrl, tokenUrl, scopeBase, clientId, clientSecret } = address
  return createFeedService(
    defineProfile({ baseUrl, tokenUrl, scopeBase }),
    { clientId, clientSecret },
    { now, headersTimeoutMs: HEADERS_TIMEOUT_MS, ranges: RANGES },
  )
}

export type Prepared = Awaited<ReturnType<typeof prepareFiles>>

/**
 * Asks for the beginning of each file that the demo will read. Making and compressing the files
 * takes the service longer than the library needs to ingest them; afterwards they are in its cache,
 * and the demo measures the library alone.
 */
export async function prepareFiles(service: FeedService, world: World, isShown: boolean) {
  const startedAt = performance.now()
  const bar = progressBar(FILES, isShown)
  let files = 0
  /** The total size of the files in their compressed form. */
  let bytesCompressed = 0
  try {
    bar.update(files, MAKING)
    for (const file of filesOf(service, world)) {
      const { empty, totalBytes = 0 } = await file.info()
      if (empty) continue
      bytesCompressed += totalBytes
      bar.update(++files, MAKING)
    }
  } finally {
    bar.stop()
  }
  return { files, bytesCompressed, seconds: (performance.now() - startedAt) / 1000 }
}

function* filesOf({ feeds }: FeedService, { start, end }: World) {
  yield feeds.getItemFeed({ ...PLACE, scope: 'ALL_ACTIVE' })
  yield feeds.getItemGroupFeed({ ...PLACE, scope: 'ALL_ACTIVE' })
  for (let hour = start.getTime(); hour < end.getTime(); hour += HOUR_MS)
    yield feeds.getItemSnapshotFeed({ ...PLACE, snapshotDate: new Date(hour) })
}
