// The items of a state as batches of columns, for sinks of Parquet and Arrow.

import {
  BadCells,
  type BoundHeader,
  bindHeader,
  Column,
  ColumnBatch,
  type ColumnData,
  type Columns,
  cell,
  checkedSchema,
  columnData,
  decodeColumns,
  type FeedSchema,
  type ItemSnapshotColumns,
  is,
  itemGroupSchema,
  itemPrioritySchema,
  itemSnapshotSchema,
  json,
  oneBatch,
  optionInvalid,
  type Row,
  rowBySchema,
} from '../../engine/index'
import { rowOfItem, type StateItem } from './state-items'

const HEADER_LINE = { row: 0, line: 1, byteOffset: 0 }
const PARTS = { priority: itemPrioritySchema, group: itemGroupSchema } as const
const INVALID = json()
/** Values that no text stands for. */
const STRUCT = cell<object>(value => value as never)

/**
 * Makes a batch of columns of a block of items, in their order, for the sinks of Parquet and Arrow.
 * It has the documented columns of an item and, as structs of theirs, `priority` and `group`; with a
 * schema of your own it has the columns of the schema, found as by {@link stateItemReader}, and no
 * others. A cell that is not of its column's type is null, or an empty list, and the column `invalid`
 * has the texts of the row's cells of that kind as JSON, by column; so have the structs.
 *
 * The batch owns its memory. A block without an item gives the columns without a row.
 * @throws FeedError OPTION_INVALID; TSV_COLUMN_MISSING where the file of an item lacks a column that
 * is `required` or `notNull`
 * @example
 * ```ts
 * import { openState, stateItemColumns, sync } from 'feedmill/sync'
 * // given: service, now
 *
 * await sync({ service, marketplace: 'MKT_US', categories: ['220'], folder: 'columns', now }).summary
 * const state = await openState('columns')
 * for await (const items of state.categories[0]!.items()) {
 *   const batch = stateItemColumns(items)
 *   console.log(batch.length === items.length, batch.column('priceValue').type)
 *   break
 * }
 * await state.close()
 * // => true { kind: 'decimal', scale: 10 }
 * ```
 */
export function stateItemColumns<C extends Columns = ItemSnapshotColumns>(
  items: readonly StateItem[],
  schema: FeedSchema<C> = itemSnapshotSchema as never,
): ColumnBatch<C> {
  const rows: Row<Columns>[] = is.arrayOf('items', items).map(rowOfItem)
  const columns = [...columnsOf(rows, schema)]
  const parts =
    (schema as FeedSchema) === itemSnapshotSchema ? (['priority', 'group'] as const) : []
  for (const part of parts) {
    const rowsOfPart = items.map(item => item[part])
    columns.push(structOf(part, rowsOfPart, columnsOf(rowsOfPart, PARTS[part])))
  }
  const { file = { feed: schema.name }, progress = { complete: true } } = rows[0]?.batch ?? {}
  const header = planOf(schema).all as BoundHeader<C>
  return new ColumnBatch({ header, file, progress, length: items.length, columns })
}

/** Returns the columns of a schema, and behind them `invalid`. @param rows null has empty cells */
function columnsOf(rows: readonly (Row<Columns> | null)[], schema: FeedSchema): readonly Column[] {
  const { header, read } = planOf(schema)
  const texts: Record<string, string>[] = []
  const policy = new BadCells(({ position, column, text }) => {
    texts[position.row] = { ...texts[position.row], [column]: text }
  })
  const batch = oneBatch(
    rows.map(row => row && read(row)),
    header,
  )
  const { columns } = decodeColumns(batch, policy)
  const invalid = rows.map((_, n) => texts[n] && JSON.stringify(texts[n]))
  return [...columns, columnOf('invalid', INVALID, columnData({ kind: 'utf8' }, invalid))]
}

/** @param rows null where the struct is null */
function structOf(name: string, rows: readonly unknown[], columns: readonly Column[]): Column {
  const present = rows.map(row => (row === null ? null : true))
  return columnOf(name, STRUCT, {
    ...columnData({ kind: 'boolean' }, present),
    type: { kind: 'struct', fields: columns.map(({ name, type }) => ({ name, type })) },
    values: undefined,
    children: columns.map(({ data }) => data),
  })
}

function columnOf(name: string, spec: Column['spec'], data: ColumnData): Column {
  return new Column(name, spec, data.length, () => data)
}

/** How rows are read by a schema, and the headers of its columns and of all columns. */
const plans = new WeakMap<FeedSchema, ReturnType<typeof newPlan>>()

function planOf(schema: FeedSchema) {
  let plan = plans.get(schema)
  if (plan === undefined) plans.set(schema, (plan = newPlan(schema)))
  return plan
}

function newPlan(schema: FeedSchema) {
  const names = Object.keys(checkedSchema('schema', schema).columns)
  if (names.includes('invalid'))
    throw optionInvalid('schema', 'a schema without a column `invalid`', schema.name)
  const parts = schema === itemSnapshotSchema ? Object.keys(PARTS) : []
  const header = bindHeader(schema, names, HEADER_LINE)
  const all = bindHeader(schema, [...names, 'invalid', ...parts], HEADER_LINE)
  return { header, all, read: rowBySchema(schema) }
}
