// A synchronisation that is small enough to run hundreds of times, and a reader of its whole
// result.

import type { EmulatorOptions } from '../../src/emulator'
import { servedDays } from '../../src/emulator/feeds/calendar'
import { readDay } from '../../src/service/clients/request-checks'
import { fileIdKey } from '../../src/sync/file-id'
import type { Environment } from '../../src/sync/folder/environment'
import type { CalendarLimits } from '../../src/sync/plan/calendar-files'
import { openState } from '../../src/sync/read/open-state'
import type { StateItem } from '../../src/sync/read/state-items'
import { type SyncRun, sync } from '../../src/sync/run/sync'
import type { SyncOptions } from '../../src/sync/sync-options'
import type { SyncTarget } from '../../src/sync/target/target'
import { type EmulatedOptions, emulated } from '../service/emulated'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const FOLDER = '/state'

/** Leaves out the priority files of the days before a bootstrap that is made today. */
export const NO_EARLIER_DAYS = { priorityDaysBack: 1 }

/** Shares that give several pieces and runs in a file of some kilobytes. */
export const SHARES = {
  pieceBytes: 3_000,
  chunkBytes: 2_000,
  windowBytes: 8_000,
  sortBytes: 4_000,
}

const QUICK = { patienceMs: 4, backoffBaseMs: 0, backoffCapMs: 1 }

export class SmallShop {
  readonly #emulated: ReturnType<typeof emulated>
  /** The clock of the service and of the client. */
  nowMs: number
  /** Those of the client's calendar. Fewer days of priority files make a run smaller. */
  limits: Partial<CalendarLimits> = {}

  constructor(
    emulator: Partial<EmulatorOptions>,
    nowMs: number,
    options: Omit<EmulatedOptions, 'emulator'> = {},
  ) {
    this.nowMs = nowMs
    const { service, ...rest } = options
    const clock = { now: () => new Date(this.nowMs) }
    this.#emulated = emulated({
      ...rest,
      emulator: { ...emulator, ...clock },
      service: { ...clock, ...service },
    })
  }

  get emulator() {
    return this.#emulated.emulator
  }

  get sent(): string[] {
    return this.#emulated.sent
  }

  sync(environment: Environment, options: Partial<SyncOptions> = {}): SyncRun {
    return sync({
      ...this.#options,
      folder: FOLDER,
      changes: 'files',
      keepFileBytes: 2 ** 30,
      environment,
      ...options,
      retry: { ...QUICK, ...options.retry },
    })
  }

  syncInto(target: SyncTarget, options: Partial<SyncOptions> = {}): SyncRun {
    const retry = { ...QUICK, ...options.retry }
    return sync({ ...this.#options, target, ...options, retry })
  }

  get #options() {
    return {
      service: this.#emulated.service,
      marketplace: 'MKT_US',
      categories: ['220'],
      now: () => new Date(this.nowMs),
      parallelFiles: 1,
      strict: false,
      limits: this.limits,
      shares: SHARES,
    }
  }

  /**
   * Returns the payload that the newest priority file with an item gives it, of all days that the
   * service has had since a time.
   */
  truePayloads(categoryId: string, sinceMs: number): Map<string, string> {
    const daysAt = (ms: number) =>
      servedDays('item_priority', { now: new Date(ms), bootstrap: 'daily', latencyDays: 2 })
    const [first, last] = [daysAt(sinceMs).earliest, daysAt(this.nowMs).latest].map(endOfDay)
    const payloads = new Map<string, string>()
    for (let endMs = first!; endMs <= last!; endMs += DAY_MS) {
      const changes = this.emulator.world.campaignChangesOn(new Date(endMs), { categoryId })
      for (const { item, payload } of changes) payloads.set(item.itemId, payload)
    }
    return payloads
  }

  close(): Promise<void> {
    return this.emulator.close()
  }
}

/** Returns the service of a small world, three hours after a bootstrap was made. */
export function shopAfterBootstrap(start: Date, bootstrapMs: number): SmallShop {
  const world = { seed: 5, items: 24, churn: 30, start, hours: 400 }
  const nowMs = bootstrapMs + 4 * HOUR_MS
  const shop = new SmallShop({ world, bootstrapAt: new Date(bootstrapMs) }, nowMs)
  shop.limits = NO_EARLIER_DAYS
  return shop
}

/** Returns the end of a day of UTC-7. */
function endOfDay(date: string): number {
  return readDay(date)! + DAY_MS + 7 * HOUR_MS
}

export async function itemTexts(blocks: AsyncIterable<readonly StateItem[]>): Promise<string[]> {
  const texts: string[] = []
  for await (const block of blocks) texts.push(...block.map(itemText))
  return texts
}

/** Returns an item with its place and its version as text. */
export function itemText({ row, priority, group, version }: StateItem): string {
  return JSON.stringify([
    row.toStrings(),
    row.position,
    version,
    priority?.toStrings(),
    group?.toStrings(),
  ])
}

/** Returns everything that a reader of the state can see, as text. */
export interface Seen {
  readonly items: readonly string[]
  readonly groups: readonly string[]
  readonly ledger: readonly string[]
  readonly watermark: string | undefined
}

export async function seenIn(
  environment: Environment,
  nowMs: number,
  categoryId = '220',
): Promise<Seen> {
  const state = await openState(FOLDER, { environment })
  try {
    const category = state.categories.find(found => found.categoryId === categoryId)!
    const items = await itemTexts(category.items())
    const groups: string[] = []
    const ledger = category.files.map(({ id, ...entry }) => JSON.stringify([fileIdKey(id), entry]))
    return {
      items,
      groups,
      ledger,
      watermark: category.plan(new Date(nowMs)).watermark?.toISOString(),
    }
  } finally {
    await state.close()
  }
}
