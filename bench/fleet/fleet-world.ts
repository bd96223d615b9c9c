// The categories of a simulated service: a few huge ones and many small ones, by a power law, and
// the size of each of their files.

import { type Category, type FileId, fileIdKey } from '../../src/sync/file-id'
import type { FleetInputs } from './fleet-inputs'

export interface FleetCategory extends Category {
  readonly items: number
}

export interface FleetWorldOptions {
  readonly categories: number
  readonly marketplaces: number
  /** Items of the largest category. The category of rank `r` has this number divided by `r`. */
  readonly largest: number
}

/** The smallest category that the service makes files for. */
const LEAST_ITEMS = 1_000

export function fleetCategories(options: FleetWorldOptions): FleetCategory[] {
  return Array.from({ length: options.categories }, (_, rank) => ({
    marketplace: `MKT_${rank % options.marketplaces}`,
    categoryId: `${rank + 1}`,
    items: Math.max(LEAST_ITEMS, Math.round(options.largest / (rank + 1))),
  }))
}

/** Rows of a file, which differ from file to file by up to a half, in the same way in each run. */
export function rowsOf(id: FileId, { items }: FleetCategory, inputs: FleetInputs): number {
  if ('scope' in id && id.scope === 'ALL_ACTIVE')
    return id.feed === 'item' ? items : Math.round(items / 20)
  const share = id.feed === 'item_snapshot' ? inputs.hourlyShare.value : inputs.dailyShare.value
  const groups = id.feed === 'item_group' ? 1 / 20 : 1
  return Math.max(1, Math.round(items * share * groups * (0.5 + unitHash(fileIdKey(id)))))
}

/** A number from 0 to 1 that depends on the text alone. */
function unitHash(text: string): number {
  let hash = 2_166_136_261
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 16_777_619)
  return (hash >>> 0) / 2 ** 32
}
