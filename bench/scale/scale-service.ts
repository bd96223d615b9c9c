// The emulated service of the scale benchmark: one category with a bootstrap of so many items and
// 25 hourly snapshots of about 50,000 rows each (fewer of a small bootstrap). Both engines merge
// those of a day, and the last one shows what one hour more takes.

import { createEmulator, createWorld } from '../../src/emulator'
import {
  createFeedService,
  defineProfile,
  type FeedService,
  type FeedServiceOptions,
} from '../../src/service'

const HOUR_MS = 3_600_000
const SNAPSHOTS = 24
const SNAPSHOT_ROWS = 50_000
/** The largest part of a small bootstrap that one snapshot changes. */
const MOST_CHANGED = 1 / 20
/** The part of a world's items that is there from the start. */
const PRESENT = 0.9
/** Items of a world that is asked how much of it changes. */
const SAMPLE_ITEMS = 50_000
const SEED = 5
/** More than all files have: the emulator makes each of them once. */
const CACHE_BYTES = 64 * 2 ** 30

export const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' } as const
/** A midnight at UTC-7: the snapshots are those of one day of it. */
export const START = new Date('2026-03-01T07:00:00Z')
export const DAY = '20260301'
/** The state is brought up to this time. */
export const END = new Date(START.getTime() + SNAPSHOTS * HOUR_MS)
/** The same with one hour more. */
export const NEXT_END = new Date(END.getTime() + HOUR_MS)
/** The daily files of a day appear at 09:00 of UTC-7, two days later. */
const NOW = new Date(START.getTime() + 57 * HOUR_MS)
/** Before the service has the next hours. */
export const AHEAD = new Date(NOW.getTime() + 6 * HOUR_MS)

/** What a process needs in order to read from the service. */
export interface ServiceAddress {
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly scopeBase: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface ScaleService {
  readonly address: ServiceAddress
  close(): Promise<void>
}

export async function startScaleService(items: number): Promise<ScaleService> {
  const emulator = createEmulator({
    world: {
      seed: SEED,
      items: Math.round(items / PRESENT),
      churn: churnFor(items),
      start: START,
      hours: SNAPSHOTS + 1,
    },
    now: NOW,
    // The SQL of DuckDB names the columns of its files.
    format: { headerSpelling: 'camelCase', unknownColumns: false },
    cache: { cacheBytes: CACHE_BYTES },
  })
  const { url } = await emulator.listen()
  const { tokenPath, scopeBase, clientId, clientSecret } = emulator
  return {
    address: { baseUrl: url, tokenUrl: url + tokenPath, scopeBase, clientId, clientSecret },
    close: () => emulator.close(),
  }
}

/** The clients of the service, with its clock. */
export function clientsOf(address: ServiceAddress, options: FeedServiceOptions = {}): FeedService {
  const { baseUrl, tokenUrl, scopeBase, ...credentials } = address
  const profile = defineProfile({ baseUrl, tokenUrl, scopeBase })
  return createFeedService(profile, credentials, { now: NOW, ...options })
}

/** Returns the rate of changes for snapshots of {@link SNAPSHOT_ROWS}, found on a small world. */
function churnFor(items: number): number {
  const wanted = Math.min(SNAPSHOT_ROWS / items, MOST_CHANGED)
  let churn = 1
  for (let round = 0; round < 4; round++) churn *= wanted / shareChanged(churn)
  return churn
}

function shareChanged(churn: number): number {
  const sample = createWorld({
    seed: SEED,
    items: SAMPLE_ITEMS,
    churn,
    start: START,
    hours: SNAPSHOTS,
  })
  const from = new Date(START.getTime() + 6 * HOUR_MS)
  let changed = 0
  for (const _ of sample.changesWithin(from, new Date(from.getTime() + HOUR_MS))) changed++
  return changed / (SAMPLE_ITEMS * PRESENT)
}
