// The items of a state as lines of JSON, from the bytes of their rows.

import {
  type ItemGroupColumns,
  type ItemPriorityColumns,
  type ItemSnapshotColumns,
  is,
  type Row,
  RowsJson,
  TextBuffer,
} from '../../engine/index'
import { rowOfItem, type StateItem } from './state-items'

/**
 * Returns a line of JSON for each item of a block: what JSON.stringify makes of
 * {@link stateItemObject}. It takes a fraction of the time, because no object is made.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { openState, stateItemLines, sync } from 'feedmill/sync'
 * // given: service, now
 *
 * await sync({ service, marketplace: 'MKT_US', categories: ['220'], folder: 'lines', now }).summary
 * const state = await openState('lines')
 * for await (const items of state.categories[0]!.items()) {
 *   const [line] = Buffer.from(stateItemLines(items)).toString().split('\n')
 *   console.log(Object.keys(JSON.parse(line!)).slice(-2))
 *   break
 * }
 * await state.close()
 * // => [ 'priority', 'group' ]
 * ```
 */
export function stateItemLines(items: readonly StateItem[]): Uint8Array {
  const rows = is.arrayOf('items', items).map(rowOfItem)
  const priorities = items.map(({ priority }) => priority)
  return Uint8Array.from(WRITER.of({ rows, priorities, groups: items.map(({ group }) => group) }))
}

/** The parts of some items. */
export interface ItemRows {
  readonly rows: readonly Row<ItemSnapshotColumns>[]
  readonly priorities: readonly (Row<ItemPriorityColumns> | null)[]
  readonly groups: readonly (Row<ItemGroupColumns> | null)[]
}

/** Writes blocks of items. Two blocks of lines are valid at a time. */
export class ItemLines {
  readonly #json = new RowsJson(['priority', 'group'])
  #text = new TextBuffer()
  #before = new TextBuffer()

  of({ rows, priorities, groups }: ItemRows): Uint8Array {
    const out = this.#before
    this.#before = this.#text
    this.#text = out
    out.cutTo(0)
    this.#json.write(rows, [priorities, groups], out)
    return out.view()
  }
}

const WRITER = /* @__PURE__ */ new ItemLines()
