// The whole synchronisation by feedmill: every file fetched from the service, proven, inflated,
// parsed and merged into a state folder.

import { createHash } from 'node:crypto'
import { limitHeapGrowth } from '../../src/cli/sync/heap-growth'
import { openState, sync } from '../../src/sync'
import type { Digest, DigestColumns } from './digest'
import { CATEGORY, clientsOf, END, type ServiceAddress } from './scale-service'

/** DuckDB merges the priorities of one day. */
const limits = { priorityDaysBack: 2 }

/** What `--memory 256MB` means. */
export const MEMORY_BYTES = 256e6

/** Does what `feedmill sync --memory 256MB` does. */
export async function synchronise(address: ServiceAddress, folder: string): Promise<void> {
  limitHeapGrowth()
  const { marketplace, categoryId } = CATEGORY
  const service = clientsOf(address)
  try {
    const categories = [categoryId]
    const memoryBytes = MEMORY_BYTES
    await sync({ service, marketplace, categories, folder, memoryBytes, limits, until: END })
      .summary
  } finally {
    await service.close()
  }
}

/** Returns the digest of the items of the state, each with its priority and its group. */
export async function digestOf(folder: string, columns: DigestColumns): Promise<Digest> {
  const state = await openState(folder)
  const digest = new ItemsDigest(columns)
  for await (const block of state.categories[0]!.items()) {
    for (const { row, version, priority, group } of block) {
      digest.add({ row, version, priority, group })
    }
  }
  await state.close()
  return digest.result
}

interface CellTexts {
  text(column: string): string
}

interface DigestedItem {
  readonly row: CellTexts
  readonly version: { readonly timeMs: number }
  readonly priority: CellTexts | null | undefined
  readonly group: CellTexts | null | undefined
}

class ItemsDigest {
  readonly #columns: DigestColumns
  #items = 0
  #sum = 0n

  constructor(columns: DigestColumns) {
    this.#columns = columns
  }

  get result(): Digest {
    return { items: this.#items, sum: this.#sum.toString() }
  }

  add({ row, version, priority, group }: DigestedItem): void {
    const cells = [
      ...this.#columns.item.map(column => row.text(column)),
      version.timeMs,
      priority?.text('priorityListingPayload') ?? '',
      ...this.#columns.item_group.map(column => group?.text(column) ?? ''),
    ]
    this.#sum += createHash('md5').update(cells.join('\t')).digest().readBigUInt64LE(8)
    this.#items++
  }
}
