// A stored format: a folder of `fixtures/formats/` with inputs, and with what feedmill made of them.
// Everything that could differ between two runs comes from here: the clock, the answers of the
// servers, and the bytes of compressed files.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closing } from '../../src/engine/disk/closing'
import {
  boolean,
  type Columns,
  decimal,
  defineSchema,
  int64,
  list,
  text,
  timestamp,
} from '../../src/index'
import { createFeedService, defineProfile } from '../../src/service'
import { fetchTransport } from '../../src/service/http/fetch-transport'
import { OWN } from '../../src/sync/file-id'
import { statePaths } from '../../src/sync/folder/state-paths'
import { type ReplaySummary, replayIntoState } from '../../src/sync/run/replay-into-state'
import { sync } from '../../src/sync/run/sync'
import { openStateFolder } from '../../src/sync/runs/state-folder'
import { type FeedSource, rulesOfSource, type SourceFile } from '../../src/sync/source/feed-source'
import type { SyncOptions } from '../../src/sync/sync-options'
import type { SyncTarget } from '../../src/sync/target/target'
import { gzipMember } from '../engine/codec/gzip/build-gzip'

/** When the bootstraps were made, half an hour before the end of a day of UTC-7. */
const BOOTSTRAP = new Date('2026-03-04T06:30:00Z')
/** When the service has that day's files, and nine hours. */
export const NOW = new Date('2026-03-04T16:10:00Z')
/** When it has one more hour. */
const LATER = new Date('2026-03-04T17:10:00Z')

/** Removals from before that time are forgotten. */
const FORGOTTEN = new Date('2026-02-11T00:00:00Z')
const SORT_BYTES = 1 << 20

export const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
/** A time between the bootstraps and the present. */
export const EARLIER = new Date('2026-03-04T09:00:00Z')

export class StoredFormat {
  readonly folder: string
  readonly inputs: string

  /** @param folder need only have inputs to be written */
  constructor(folder: string) {
    this.folder = folder
    this.inputs = join(folder, 'inputs')
  }

  /** The path of a part of the format. */
  path(name: string): string {
    return join(this.folder, name)
  }

  /** Brings the files of the service into a state folder. */
  async syncService(folder: string, isLater = false): Promise<void> {
    const kept = { changes: 'files', quarantine: 'files', keepFileBytes: 2 ** 20 } as const
    await syncService({ folder, ...kept, ...this.#ofService(isLater) })
    if (!isLater) await forgetRemovals(stateTarget(folder))
  }

  /** Brings the same files into a database. */
  async syncInto(target: SyncTarget, isLater = false): Promise<void> {
    await syncService({ target, ...this.#ofService(isLater) })
    if (!isLater) await forgetRemovals(target)
  }

  /** Brings the files of two feeds into a state folder, and mends a row of a quarantine. */
  async syncFeeds(folder: string): Promise<void> {
    for (let files = 1; files <= 4; files++) await syncFeed(folder, this.stock(files))
    await syncFeed(folder, this.prices())
    await mend(folder, this.stock(), { 'Barrel,100-9,false\n': 'Barrel,100-9,false,3,\n' })
    await mergeRuns(folder, this.prices())
  }

  /**
   * A feed with versions, rows that remove their keys, and bad rows.
   * @param files the number of those that its list has; there is a fifth one
   */
  stock(files = 4): FeedSource<typeof stockSchema.columns> {
    return {
      name: 'stock',
      schema: stockSchema,
      key: 'sku',
      version: 'revision',
      isRemoved: row => row.get('gone') === true,
      dialect: { delimiter: ',', quoting: 'doubled' },
      files: this.#files('stock', files),
      transport: this.#transport(false),
    }
  }

  /** A feed in which the row of the later file is newer. */
  prices(): FeedSource<typeof pricesSchema.columns> {
    return {
      name: 'prices',
      schema: pricesSchema,
      key: 'sku',
      files: this.#files('prices', 2),
      transport: this.#transport(false),
    }
  }

  #ofService(isLater: boolean) {
    const now = () => (isLater ? LATER : NOW)
    const transport = this.#transport(true)
    return { now, service: createFeedService(PROFILE, () => 'a token', { transport, now }) }
  }

  #files(feed: string, count: number): SourceFile[] {
    return readdirSync(this.inputs)
      .filter(name => name.startsWith(`${feed}.`))
      .sort()
      .slice(0, count)
      .map(name => {
        const [, number, kind] = name.split('.')
        return {
          id: name,
          from: `https://shop.test/${name}`,
          kind: kind as SourceFile['kind'],
          time: new Date(Date.UTC(2026, 2, Number(number))),
        }
      })
  }

  /** Sends the inputs. The service has an empty file in place of one that is not there. */
  #transport(isService: boolean) {
    return fetchTransport(({ url }) => {
      const { pathname, searchParams } = new URL(url)
      const [hour] = /\d{4}-\d\d-\d\dT\d\d/.exec(searchParams.get('snapshot_date') ?? '') ?? []
      const parts = [
        pathname.slice(pathname.lastIndexOf('/') + 1),
        searchParams.get('feed_scope'),
        searchParams.get('date'),
        hour?.replaceAll('-', ''),
      ].filter(part => part != null)
      const name = isService ? `${parts.join('.')}.tsv` : parts.join('.')
      const path = join(this.inputs, name)
      const headers = { 'last-modified': BOOTSTRAP.toUTCString(), etag: `"${name}"` }
      if (!existsSync(path)) return new Response(null, { status: 204, headers })
      const content = readFileSync(path)
      const isCompressed = isService || name.includes('.full.')
      const bytes = isCompressed ? gzipMember(content, { deflated: stored(content) }) : content
      const type = isCompressed ? 'application/gzip' : 'text/plain'
      return new Response(new Uint8Array(bytes), {
        headers: { ...headers, 'content-type': type, 'content-length': String(bytes.length) },
      })
    })
  }
}

const PROFILE = defineProfile({
  baseUrl: 'https://service.test',
  tokenUrl: 'https://service.test/token',
  scopeBase: 'https://service.test/scope',
})

async function syncService(
  options: Omit<SyncOptions, 'marketplace' | 'categories' | 'limits' | 'parallelFiles'>,
): Promise<void> {
  const { marketplace, categoryId } = CATEGORY
  await sync({
    marketplace,
    categories: [categoryId],
    limits: { dailyLatencyDays: 1, priorityDaysBack: 1 },
    parallelFiles: 1,
    ...options,
  }).summary
}

export const stockSchema = defineSchema({
  name: 'stock',
  columns: { sku: text({ notNull: true }), revision: int64(), gone: boolean(), title: text() },
})

export const pricesSchema = defineSchema({
  name: 'prices',
  columns: { sku: text(), price: decimal(), from: timestamp(), tags: list('|', text()) },
})

export async function syncFeed<C extends Columns>(
  folder: string,
  source: FeedSource<C>,
): Promise<void> {
  const options = { changes: 'files', changeRows: 'both', quarantine: 'files' } as const
  await sync({ source, folder, parallelFiles: 1, ...options }).summary
}

/** Replaces texts of rows in the quarantines of a folder, and replays them. */
export function mend<C extends Columns>(
  folder: string,
  source: FeedSource<C>,
  texts: Readonly<Record<string, string>>,
): Promise<ReplaySummary> {
  const { quarantine } = statePaths(folder)
  const names = readdirSync(quarantine).sort()
  const files = names.map(name => join(quarantine, name))
  for (const path of files) {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const mended = lines.map(line => {
      const record = JSON.parse(line)
      return JSON.stringify({
        ...record,
        ...(record.text in texts && { text: texts[record.text] }),
      })
    })
    writeFileSync(path, `${mended.join('\n')}\n`)
  }
  return replayIntoState({ folder, files, source })
}

/** Merges the runs of a feed, as a run that follows does in its pauses. */
async function mergeRuns<C extends Columns>(folder: string, source: FeedSource<C>): Promise<void> {
  const own = rulesOfSource(source as never)
  const opened = await openStateFolder({ folder, origin: undefined, own, sortBytes: SORT_BYTES })
  await closing(opened, async state => {
    const category = await state.category({ marketplace: OWN, categoryId: source.name })
    await category.compact(new AbortController().signal)
  })
}

const stateTarget = (folder: string): Pick<SyncTarget, 'open'> => ({
  open: ({ origin }) => openStateFolder({ folder, origin, sortBytes: SORT_BYTES }),
})

/** Forgets removals, as runs do when a state is three weeks old. */
async function forgetRemovals(target: Pick<SyncTarget, 'open'>): Promise<void> {
  const { signal } = new AbortController()
  const origin = { marketplace: CATEGORY.marketplace, service: PROFILE.baseUrl }
  await closing(await target.open({ origin, memoryBytes: 2 ** 26, signal }), async opened => {
    const category = await opened.category(CATEGORY)
    await category.forgetRemovals(FORGOTTEN)
  })
}

/** Deflate data without compression, which no version of zlib writes in another way. */
function stored(content: Uint8Array): Buffer {
  const head = Buffer.from([1, 0, 0, 0, 0])
  head.writeUInt16LE(content.length, 1)
  head.writeUInt16LE(~content.length & 0xffff, 3)
  return Buffer.concat([head, content])
}
