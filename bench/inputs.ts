// Which file each case reads, and having them: the gzip file, the same not compressed, the same
// behind a server, and for the peak memory one of 100 MB and one of ten times that.

import type { BenchFeed } from './bench-feed'
import type { WantedFeed } from './data'
import type { FileServer } from './file-server'
import { inFreshProcess } from './fresh-process'
import { inFreshServer } from './fresh-server'
import type { MacroCaseName } from './macro/cases'

const DATA_DIRECTORY = '.tmp/bench-data'

/**
 * The size of the smaller file for the peak memory, in 10^6 bytes. It is half the size of the
 * measured file where that is less.
 */
const SMALL_MEGABYTES = 100
const LARGE_COPIES = 10

type InputKind = 'gzip' | 'raw' | 'http' | 'small' | 'large'

const KINDS: { readonly [name in MacroCaseName]?: InputKind } = {
  scan: 'raw',
  http: 'http',
  'rss-small': 'small',
  'rss-large': 'large',
}

/** What the cases read, until it is closed. */
export interface Inputs {
  readonly gzip: BenchFeed
  feedOf(name: MacroCaseName): BenchFeed
  close(): Promise<void>
}

/**
 * Writes the files that these cases need, where they are not in the cache, and starts the server
 * where one needs it.
 */
export async function prepareInputs(
  names: readonly MacroCaseName[],
  wanted: WantedFeed,
): Promise<Inputs> {
  const { megabytes } = wanted
  const gzip = await inFreshProcess({ kind: 'data', wanted, directory: DATA_DIRECTORY })
  const feeds: Record<string, BenchFeed> = { gzip }
  const needed = new Set(names.map(kindOf))
  if (needed.has('raw')) feeds.raw = await inFreshProcess({ kind: 'raw', feed: gzip })
  if (needed.has('small') || needed.has('large')) {
    feeds.small = await inFreshProcess({
      kind: 'data',
      wanted: { ...wanted, megabytes: Math.min(SMALL_MEGABYTES, megabytes / 2) },
      directory: DATA_DIRECTORY,
    })
    feeds.large = await inFreshProcess({ kind: 'copies', feed: feeds.small, copies: LARGE_COPIES })
  }
  let server: FileServer | undefined
  if (needed.has('http')) {
    server = await inFreshServer(gzip.path)
    feeds.http = { ...gzip, path: server.url }
  }
  return { gzip, feedOf: name => feeds[kindOf(name)]!, close: async () => server?.close() }
}

function kindOf(name: MacroCaseName): InputKind {
  return KINDS[name] ?? 'gzip'
}
