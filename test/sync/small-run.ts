// A synchronisation that is small enough to run hundreds of times, and a reader of its whole
// result.

import type { EmulatorOptions } from '../../src/emulator'
import { fileIdKey } from '../../src/sync/file-id'
import type { Environment } from '../../src/sync/folder/environment'
import { openState } from '../../src/sync/read/open-state'
import { type SyncRun, sync } from '../../src/sync/run/sync'
import type { SyncOptions } from '../../src/sync/sync-options'
import type { SyncTarget } from '../../src/sync/target/target'
import { type EmulatedOptions, emulated } from '../service/emulated'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const FOLDER = '/state'

/** Shares that give several pieces and commits in a file of some kilobytes. */
const SHARES = {
  pieceBytes: 3_000,
  chunkBytes: 2_000,
  windowBytes: 8_000,
  commitBytes: 10_000,
  readBytes: 2_000,
  batchBytes: 6_000,
}

export class SmallShop {
  readonly #emulated: ReturnType<typeof emulated>
  /** The clock of the service and of the client. */
  nowMs: number

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
    })
  }

  syncInto(target: SyncTarget, options: Partial<SyncOptions> = {}): SyncRun {
    return sync({ ...this.#options, target, ...options })
  }

  get #options() {
    return {
      service: this.#emulated.service,
      marketplace: 'MKT_US',
      categories: ['220'],
      now: () => new Date(this.nowMs),
      parallelFiles: 1,
      patienceMs: 4,
      backoffBaseMs: 0,
      backoffCapMs: 1,
      shares: SHARES,
    }
  }

  close(): Promise<void> {
    return this.emulator.close()
  }
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
    const items: string[] = []
    for await (const block of category.items()) {
      for (const { row, priority, group, version } of block) {
        items.push(
          JSON.stringify([
            row.toStrings(),
            row.position,
            version,
            priority?.toStrings(),
            group?.toStrings(),
          ]),
        )
      }
    }
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
