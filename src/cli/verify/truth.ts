// The state of the world that a program must reach, with the earlier versions of each item, so that
// a stale row can be told from a wrong one. It is in memory: the world of a round is small.

import type { World } from '../../emulator'
import { itemSchema } from '../../index'

/** The cells of an item in the order of {@link TrueState.columns}. */
export type Cells = readonly string[]

export interface TrueItem {
  readonly cells: Cells
  /** The versions that earlier files show, each different from the last one. */
  readonly older: readonly Cells[]
}

export interface TrueColumn {
  readonly name: string
  /**
   * How feedmill reads the column (item-feeds.md, section 2.2): its cell type, and after a space
   * the separator of a list.
   */
  readonly type: string
}

/** What a comparison needs to know of a world. */
export interface TrueState {
  /** The documented columns. The first one is the key. */
  readonly columns: readonly TrueColumn[]
  /** The active items, by their key. */
  readonly items: ReadonlyMap<string, TrueItem>
  /** The keys of items that earlier files show and that have ended. */
  readonly ended: ReadonlySet<string>
}

const HOUR_MS = 3_600_000

export function trueState(world: World): TrueState {
  const columns = world.itemColumns.map(name => ({ name, type: typeOf(name) }))
  const versions = versionsIn(world)
  const items = new Map<string, TrueItem>()
  for (const place of placesIn(world))
    for (const { itemId, cells } of world.truthAt(world.end, place)) {
      const older = (versions.get(itemId) ?? []).filter(version => !areEqual(version, cells))
      items.set(itemId, { cells, older })
    }
  const ended = new Set([...versions.keys()].filter(itemId => !items.has(itemId)))
  return { columns, items, ended }
}

function placesIn({ options: { marketplaces, categories } }: World) {
  return marketplaces.flatMap(marketplaceId =>
    categories.map(categoryId => ({ marketplaceId, categoryId })),
  )
}

/** Returns the versions that the bootstrap file and the snapshot files show. */
function versionsIn(world: World): Map<string, Cells[]> {
  const versions = new Map<string, Cells[]>()
  const add = (itemId: string, cells: Cells) => {
    const known = versions.get(itemId)
    if (known === undefined) versions.set(itemId, [cells])
    else known.push(cells)
  }
  for (const place of placesIn(world)) {
    for (const { itemId, cells } of world.truthAt(world.start, place)) add(itemId, cells)
    for (let from = world.start; from < world.end; from = new Date(from.getTime() + HOUR_MS)) {
      const to = new Date(from.getTime() + HOUR_MS)
      for (const { item } of world.changesWithin(from, to, place))
        add(item.itemId, world.itemCells(item))
    }
  }
  return versions
}

function typeOf(name: string): string {
  const columns: Readonly<Record<string, { readonly type: string; readonly separator?: string }>> =
    itemSchema.columns
  const { type = 'text', separator } = columns[name] ?? {}
  return separator === undefined ? type : `${type} ${separator}`
}

function areEqual(a: Cells, b: Cells): boolean {
  return a.every((cell, n) => cell === b[n])
}
