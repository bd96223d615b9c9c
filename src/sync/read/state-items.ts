// The items of a category: each with its newest row, its priority and the record of its group.

import type { ItemGroupColumns, ItemSnapshotColumns, Row, RowQuarantine } from '../../engine/index'
import {
  type BadCellPolicy,
  BadCells,
  type Columns,
  checkedSchema,
  type FeedSchema,
  is,
  isBadCell,
  objectWithInvalid,
  optionInvalid,
  type RowObject,
  readOptions,
  rowBySchema,
} from '../../engine/index'
import type { MergedItem } from '../../state/index'

export interface StateItem extends MergedItem<ItemSnapshotColumns> {
  /**
   * The record of the item's group; null where the item has no group, and where the record has not
   * arrived.
   */
  readonly group: Row<ItemGroupColumns> | null
}

const HAS_CELLS = is.withMethods<Row<ItemSnapshotColumns>>('toObject')
const HAS_HEADER = is.withMethods<Row<ItemSnapshotColumns>['batch']>('withHeader')

/** Returns the row of an item that a caller gives. @throws FeedError OPTION_INVALID */
export function rowOfItem(item: StateItem): Row<ItemSnapshotColumns> {
  return HAS_CELLS('item.row', is.anObject('item', item).row)
}

/**
 * Returns the item as a plain object with typed cells: the columns of its row, and `priority` and
 * `group`, which may be null. A cell that is not of its column's type is null, or an empty list, and
 * the object of its row has the texts of these cells by column as `invalid`.
 * @throws FeedError OPTION_INVALID
 */
export function stateItemObject(item: StateItem): Record<string, unknown> {
  const row = rowOfItem(item)
  const { priority, group } = item
  return {
    ...objectWithInvalid(row),
    priority: priority && objectWithInvalid(priority),
    group: group && objectWithInvalid(group),
  }
}

export interface StateItemReaderOptions {
  /** What happens to a cell that is not of its column's type. Default: `'throw'`. */
  readonly onBadCell?: Exclude<BadCellPolicy, RowQuarantine>
}

/**
 * Makes a function that returns an item as a plain object by a schema of your own: the object has
 * the columns of the schema, typed by it, and no others. A column of the schema is found in the
 * item's row by its name or an alias, as in a file. Where the file of the row lacks it, it has the
 * empty value of its kind. The priority and the group of the item are left out.
 *
 * The returned function throws CELL_INVALID with the position in the item's file, unless
 * `onBadCell` says otherwise, and TSV_COLUMN_MISSING where that file lacks a column that is
 * `required` or `notNull`.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { defineSchema, float64, text } from 'feedmill'
 * import { openState, stateItemReader, sync } from 'feedmill/sync'
 * // given: service, now
 *
 * await sync({ service, marketplace: 'MKT_US', categories: ['220'], folder: 'typed', now }).summary
 * const columns = { id: text({ aliases: ['itemId'] }), price: float64({ aliases: ['priceValue'] }) }
 * const read = stateItemReader(defineSchema({ name: 'prices', columns }))
 * const state = await openState('typed')
 * for await (const items of state.categories[0]!.items()) {
 *   console.log(Object.keys(read(items[0]!)))
 *   break
 * }
 * await state.close()
 * // => [ 'id', 'price' ]
 * ```
 */
export function stateItemReader<C extends Columns>(
  schema: FeedSchema<C>,
  options: StateItemReaderOptions = {},
): (item: StateItem) => RowObject<C> {
  const { onBadCell } = readOptions(options, { onBadCell: is.any })
  const badCells = new BadCells(onBadCell)
  if (badCells.quarantine !== undefined)
    throw optionInvalid('onBadCell', "'throw', 'null' or a function", onBadCell)
  const bySchema = rowBySchema(checkedSchema('schema', schema))
  const columns = Object.entries(schema.columns).map(([name, spec]) => ({ name, spec }))
  const names = columns.map(({ name }) => name)
  return item => {
    const row = rowOfItem(item)
    HAS_HEADER('item.row.batch', row.batch)
    const known = bySchema(row)
    try {
      return known.toObject(names) as RowObject<C>
    } catch (error) {
      if (!isBadCell(error)) throw error
      const cells = columns.map(column => [column.name, badCells.read(known, column)])
      return Object.fromEntries(cells) as RowObject<C>
    }
  }
}
