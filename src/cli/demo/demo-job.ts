// What both ways of the demo share: their options, the category, the clients of the service, and
// the result.

import type { World } from '../../emulator'
import { createFeedService, defineProfile, type FeedService } from '../../index'
import type { ServeAddress } from '../serve'

/** The category of the emulated service. */
export const MARKETPLACE = 'MKT_US'
export const CATEGORY = '220'
export const SCOPE_BASE = 'https://api.market.example/oauth'

/**
 * The bootstraps of items and groups, and the snapshots of a day: the default files of the emulated
 * service.
 */
export const FILES = 26

/** Bounds the ranges that are held or in flight, and so the memory of a download. */
const RANGES_AHEAD = 4

/**
 * The emulated service needs minutes to make a file of millions of items, and answers only then.
 */
const HEADERS_TIMEOUT_MS = 600_000

export interface DemoOptions {
  readonly items: number
  readonly seed: number
  readonly chunkBytes: number
  readonly out: string
  readonly streamOnly: boolean
  /** Kills a first run in the middle, and continues from the state that it left. */
  readonly interrupt: boolean
  readonly json: boolean
  /**
   * The script of the command. Other processes run it: the emulated service, and the run to kill.
   */
  readonly cli: string
}

export interface DemoJob {
  readonly options: DemoOptions
  readonly address: ServeAddress
  readonly service: FeedService
  /** The fixed clock of the service. */
  readonly now: Date
  /** The same world as that of the emulated service. It provides the truth. */
  readonly world: World
}

export interface DemoOutcome {
  readonly items: number
  readonly groups: number
  readonly snapshots: number
  readonly rows: number
  readonly bytesCompressed: number
  readonly bytesRaw: number
  /**
   * The time from the first request to the last merged row, or to the last written row with
   * `--stream-only`.
   */
  readonly ingestSeconds: number
  /** The time of writing the merged items. Undefined where the ingestion wrote them. */
  readonly writeSeconds?: number
  /** The time of the comparison with the truth, which the other times do not include. */
  readonly checkSeconds: number
  /**
   * The number of files that the first run applied before it was killed. Undefined without such a
   * run.
   */
  readonly filesBeforeKill?: number
  /** The differences from the truth. Empty when the result is right. */
  readonly problems: readonly string[]
  /** A description of the work for people. */
  readonly table: readonly string[]
}

/** The settings of the downloads. */
export function demoRanges(chunkBytes: number): {
  readonly chunkBytes: number
  readonly windowBytes: number
} {
  return { chunkBytes, windowBytes: RANGES_AHEAD * chunkBytes }
}

/** @param now the service's clock: the start of its time windows */
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
