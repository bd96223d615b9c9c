// Has the emulated service make the files of the demo before the clock starts. Making and
// compressing them takes the service longer than the library needs to ingest them; afterwards they
// are in its cache, and the demo measures the library alone.

import type { World } from '../../emulator'
import type { FeedService } from '../../index'
import { progressBar } from '../progress-bar'
import { CATEGORY, type DemoOptions, FILES, MARKETPLACE } from './demo-job'

export interface Prepared {
  readonly files: number
  /** The total size of the files in their compressed form. */
  readonly bytesCompressed: number
  readonly seconds: number
}

/** The answer of the service about a file. */
interface Info {
  readonly empty: boolean
  readonly totalBytes: number | undefined
}

const HOUR_MS = 3_600_000
const MAKING = 'the emulated service makes the files'
const PLACE = { marketplace: MARKETPLACE, categoryId: CATEGORY }

/** Asks for the beginning of each file that the demo will read, one after the other. */
export async function prepareFiles(
  service: FeedService,
  world: World,
  { streamOnly, json }: Pick<DemoOptions, 'streamOnly' | 'json'>,
): Promise<Prepared> {
  const startedAt = performance.now()
  const bar = progressBar(streamOnly ? 1 : FILES, !json)
  let files = 0
  let bytesCompressed = 0
  try {
    bar.update(files, MAKING)
    for (const info of asked(service, world, streamOnly)) {
      const { empty, totalBytes = 0 } = await info
      if (empty) continue
      bytesCompressed += totalBytes
      bar.update(++files, MAKING)
    }
  } finally {
    bar.stop()
  }
  return { files, bytesCompressed, seconds: (performance.now() - startedAt) / 1000 }
}

function* asked(
  { feeds }: FeedService,
  { start, end }: World,
  streamOnly: boolean,
): Generator<Promise<Info>, void, void> {
  yield feeds.getItemFeed({ ...PLACE, scope: 'ALL_ACTIVE' }).info()
  if (streamOnly) return
  yield feeds.getItemGroupFeed({ ...PLACE, scope: 'ALL_ACTIVE' }).info()
  for (let hour = start.getTime(); hour < end.getTime(); hour += HOUR_MS) {
    yield feeds.getItemSnapshotFeed({ ...PLACE, snapshotDate: new Date(hour) }).info()
  }
}
