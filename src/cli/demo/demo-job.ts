// What the demo's two ways have in common: what they are asked for, the category, the service over
// its socket, and what they hand back.

import type { World } from '../../emulator/index'
import { createFeedService, defineProfile, type FeedService } from '../../index'
import type { ServeAddress } from '../serve'

/** The emulated service's own category; its clock stands still. */
export const MARKETPLACE = 'MKT_US'
export const CATEGORY = '220'
export const SCOPE_BASE = 'https://api.market.example/oauth'

/** Ranges held or in flight at the most: what bounds the memory of a download. */
const RANGES_AHEAD = 4

/**
 * Making a file of millions of items takes the emulated service minutes, and it answers when it is
 * done.
 */
const HEADERS_TIMEOUT_MS = 600_000

export interface DemoOptions {
  readonly items: number
  readonly seed: number
  readonly chunkBytes: number
  readonly out: string
  readonly streamOnly: boolean
  /** Kill a first run in the middle, and go on from what it left. */
  readonly interrupt: boolean
  readonly json: boolean
  /**
   * The command's own script, which serves the emulated service, and runs what is to be killed, in
   * other processes.
   */
  readonly cli: string
}

export interface DemoJob {
  readonly options: DemoOptions
  readonly address: ServeAddress
  readonly service: FeedService
  /** The service's clock, which stands still. */
  readonly now: Date
  /** The same world as the emulated service's, for its truth. */
  readonly world: World
}

export interface DemoOutcome {
  readonly items: number
  readonly groups: number
  readonly snapshots: number
  readonly rows: number
  readonly bytesCompressed: number
  readonly bytesRaw: number
  /** From the first request to the last merged row; of `--stream-only` to the last written row. */
  readonly ingestSeconds: number
  /** Writing the merged items; undefined where that was part of the ingestion. */
  readonly writeSeconds?: number
  /** Comparing with the truth, which the times above do not hold. */
  readonly checkSeconds: number
  /**
   * Files that a first run had brought into the state before it was killed; undefined where none
   * was.
   */
  readonly filesBeforeKill?: number
  /** What differs from the truth; empty when all is right. */
  readonly problems: readonly string[]
  /** What was done, for people. */
  readonly table: string
}

/** How the files are fetched. */
export function demoRanges(chunkBytes: number): {
  readonly chunkBytes: number
  readonly windowBytes: number
} {
  return { chunkBytes, windowBytes: RANGES_AHEAD * chunkBytes }
}

/** @param now the service's clock: what its windows are reckoned from */
export function demoService(address: ServeAddress, now: Date, chunkBytes: number): FeedService {
  const profile = defineProfile({
    baseUrl: address.url,
    tokenUrl: address.tokenUrl,
    scopeBase: SCOPE_BASE,
  })
  const { clientId, clientSecret } = address
  return createFeedService(
    profile,
    { clientId, clientSecret },
    { now, headersTimeoutMs: HEADERS_TIMEOUT_MS, ranges: demoRanges(chunkBytes) },
  )
}
