// The files that a synchronisation up to the end of the day fetches, downloaded for DuckDB.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { byteSink } from '../../src/index'
import type { FeedService } from '../../src/service'
import { CATEGORY, clientsOf, DAY, END, type ServiceAddress, START } from './scale-service'

/** A file, and the version of those of its rows that have no date of their own, in ms since 1970. */
export interface ScaleFile {
  readonly path: string
  readonly feed: 'item' | 'item_group' | 'item_snapshot' | 'item_priority'
  readonly isBootstrap: boolean
  readonly versionMs: number
}

const HOUR_MS = 3_600_000
/** The service makes a file before it answers: minutes for millions of items. */
const MAKING_LIMIT_MS = 30 * 60 * 1000

export async function downloadFiles(
  address: ServiceAddress,
  folder: string,
): Promise<readonly ScaleFile[]> {
  await mkdir(folder, { recursive: true })
  const service = clientsOf(address, { headersTimeoutMs: MAKING_LIMIT_MS })
  try {
    const files: ScaleFile[] = []
    for (const { download, hourEndMs, ...file } of downloads(service)) {
      const path = join(folder, download.fileName)
      await download.compressed().run(byteSink(path))
      const versionMs = hourEndMs ?? (await download.info()).lastModified!.getTime()
      files.push({ path, versionMs, ...file })
    }
    // The service makes the file behind them, which only the state folder takes, before it is asked.
    await service.feeds.getItemSnapshotFeed({ ...CATEGORY, snapshotDate: END }).info()
    return files
  } finally {
    await service.close()
  }
}

interface Wanted extends Pick<ScaleFile, 'feed' | 'isBootstrap'> {
  readonly download: Pick<
    ReturnType<FeedService['feeds']['getItemFeed']>,
    'fileName' | 'compressed' | 'info'
  >
  /** The last millisecond of a snapshot's hour. The other files are dated by Last-Modified. */
  readonly hourEndMs?: number
}

function* downloads({ feeds }: FeedService): Generator<Wanted, void, void> {
  const all = { ...CATEGORY, scope: 'ALL_ACTIVE' } as const
  const listed = { ...CATEGORY, scope: 'NEWLY_LISTED', date: DAY } as const
  yield { feed: 'item', isBootstrap: true, download: feeds.getItemFeed(all) }
  yield { feed: 'item_group', isBootstrap: true, download: feeds.getItemGroupFeed(all) }
  for (let ms = START.getTime(); ms < END.getTime(); ms += HOUR_MS) {
    const download = feeds.getItemSnapshotFeed({ ...CATEGORY, snapshotDate: new Date(ms) })
    const hourEndMs = ms + HOUR_MS - 1
    yield { feed: 'item_snapshot', isBootstrap: false, hourEndMs, download }
  }
  yield { feed: 'item', isBootstrap: false, download: feeds.getItemFeed(listed) }
  yield { feed: 'item_group', isBootstrap: false, download: feeds.getItemGroupFeed(listed) }
  const download = feeds.getItemPriorityFeed({ ...CATEGORY, date: DAY })
  yield { feed: 'item_priority', isBootstrap: false, download }
}
