// The whole synchronisation by feedmill: every file fetched from the service, proven, inflated,
// parsed and merged into a state folder.

import { createHash } from 'node:crypto'
import { limitHeapGrowth } from '../../src/cli/sync/heap-growth'
import { openState, sync } from '../../src/sync'
import type { Digest, DigestColumns } from './digest'
import { CATEGORY, clientsOf, END, type ServiceAddress } from './scale-service'

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
    await sync({ service, marketplace, categories, folder, memoryBytes, until: END }).summary
  } finally {
    await service.close()
  }
}

/** Returns the digest of the items of the state, each with its priority and its group. */
export async function digestOf(folder: string, columns: DigestColumns): Promise<Digest> {
  const state = await openState(folder)
  let items = 0
  let sum = 0n
  for await (const block of state.categories[0]!.items()) {
    for (const { row, version, priority, group } of block) {
      const cells = [
        ...columns.item.map(column => row.text(column)),
        version.timeMs,
        priority?.text('priorityListingPayload') ?? '',
        ...columns.item_group.map(column => group?.text(column) ?? ''),
      ]
      sum += createHash('md5').update(cells.join('\t')).digest().readBigUInt64LE(8)
      items++
    }
  }
  await state.close()
  return { items, sum: sum.toString() }
}
