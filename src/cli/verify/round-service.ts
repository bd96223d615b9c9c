// The emulated service of one round, and the truth that a program must reach. The world begins at
// the end of a day of UTC-7, so that the file of the catalog and the bootstrap file show the same
// time, and it has six hours with a snapshot file each.

import { createEmulator, type EmulatorOptions, type FaultKind } from '../../emulator'
import type { Round } from './fault-rounds'
import { trueState } from './truth'

export interface VerifyWorld {
  readonly seed: number
  /** The number of items that are ever listed in each category. */
  readonly items: number
  readonly marketplace: string
  readonly categories: readonly string[]
  /** The path whose requests meet the faults, as in the faults of an emulator. Default all files. */
  readonly route?: string
  /** Default `documented`. A fault that has a form of its own keeps it. */
  readonly headerForm?: 'documented' | 'rfc9110'
}

const START = new Date('2026-03-01T07:00:00Z')
const HOURS = 6
/** With this churn every item changes once in six hours on average, and one in twelve can end. */
const CHURN = 20

/** @throws FeedError OPTION_INVALID, LISTEN_FAILED, DEPENDENCY_MISSING */
export async function roundService(
  { faults, rate }: Round,
  { seed, items, marketplace, categories, route, headerForm = 'documented' }: VerifyWorld,
) {
  const kinds = [...new Set(faults.flatMap((fault): readonly FaultKind[] => fault.requests ?? []))]
  const service: Partial<EmulatorOptions> = Object.assign({}, ...faults.map(fault => fault.service))
  const where = route === undefined ? {} : { route }
  const emulator = createEmulator({
    world: {
      seed,
      items,
      marketplaces: [marketplace],
      categories,
      start: START,
      hours: HOURS,
      churn: CHURN,
      endings: 0,
      quotedTitles: 0,
      ...Object.assign({}, ...faults.map(fault => fault.world)),
    },
    format: { headerSpelling: 'camelCase', unknownColumns: false },
    headerForm,
    ...service,
    catalog: { feedTypes: [ALL_ITEMS], ...service.catalog },
    ...(kinds.length > 0 && { faults: { kinds, rate, seed, oncePerFile: true, ...where } }),
  })
  const { url } = await emulator.listen()
  return { emulator, url, truth: trueState(emulator.world) }
}

const ALL_ITEMS = {
  feedTypeId: 'CURATED_ITEM_FEED',
  description: 'All active items at the end of a day, in one category.',
  feed: 'item',
  content: 'bootstrap',
} as const
