// The bootstrap of the emulator's world: titles, aspects and regions are drawn from small sets and
// repeat, many cells are empty, few are quoted.

import { createWorld, tsvBytes } from '../../src/emulator'
import type { Shape } from './shape'

export const repeating: Shape = {
  // Rows have about 670 bytes, and about nine items in ten are a row.
  itemsPerMb: 1650,
  columns: createWorld({ seed: 1, items: 1 }).itemColumns,
  *rows(seed, items) {
    const world = createWorld({ seed, items })
    for (const { cells } of world.truthAt(world.start, {}, world.itemColumns)) yield cells
  },
  content(seed, items) {
    const world = createWorld({ seed, items })
    return tsvBytes(world, {
      feed: 'item',
      content: 'bootstrap',
      marketplaceId: world.options.marketplaces[0]!,
      categoryId: world.options.categories[0]!,
      from: world.start,
      to: world.start,
    })
  },
}
