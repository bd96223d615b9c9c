// Finds columns of a user's schema that an export would leave empty in all items because nothing
// has a column of that name, such as a misspelt one.

import { FeedError, type FeedSchema, itemSnapshotSchema } from '../../index'
import type { StateItem } from '../../sync'

/**
 * Gives the blocks of items as they are. A column may be documented and absent from the files, and
 * the newest files alone may have one that is not documented, so the error comes after all items.
 * Without items nothing is known, and every name passes.
 * @throws FeedError OPTION_INVALID with the columns that neither the documents nor any item has
 */
export async function* knownColumns(
  { columns }: FeedSchema,
  blocks: AsyncIterable<readonly StateItem[]>,
): AsyncGenerator<readonly StateItem[], void, void> {
  const unknown = new Map(
    Object.entries(columns).map(([name, { aliases = [] }]) => [
      name,
      [name, ...aliases].map(spelling => spelling.trim().toLowerCase()),
    ]),
  )
  const meet = (names: Iterable<string>) => {
    const met = new Set(Array.from(names, name => name.trim().toLowerCase()))
    for (const [name, spellings] of unknown)
      if (spellings.some(spelling => met.has(spelling))) unknown.delete(name)
  }
  meet(Object.keys(itemSnapshotSchema.columns))
  let items = 0
  for await (const block of blocks) {
    items += block.length
    // The rows of most schemas have only documented columns, so they cost nothing here.
    for (const { row } of block) if (unknown.size > 0) meet(Object.keys(row.toStrings()))
    yield block
  }
  if (items === 0 || unknown.size === 0) return
  const received = [...unknown.keys()].join(', ')
  const expected = 'columns of the items, by their names or aliases'
  throw new FeedError(
    'OPTION_INVALID',
    `--schema has columns that no item has: ${received}: correct the names, or add the names of the items as aliases`,
    { option: '--schema', expected, received },
  )
}
