// Binds a schema to the header line of one file: by column name, never by position. Where several
// headings may be meant, `bindHeader` alone decides: every reader of files has its header. Columns
// that the schema does not know stay readable under the name that the file gives them.

import { excerpt, FeedError, type RowPosition } from '../../errors'
import { nameHint } from '../../options'
import { text } from '../../schema/column-kinds'
import { type ColumnSpec, NamedColumns, spellingOf } from '../../schema/column-spec'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import type { CellRules } from './cell-rules'
import { NamePredictor } from './name-predictor'

/**
 * The most columns of a file: many times what any documented feed has. The limit bounds what a
 * hostile header costs for each row.
 */
export const MAX_COLUMNS = 4096

export interface BoundColumn {
  /** The schema's name, or the file's own for an unknown column. */
  readonly name: string
  /** The schema's column; a column of text for an unknown one. */
  readonly spec: ColumnSpec
  /** The column name as the file spells it. */
  readonly heading: string
  readonly known: boolean
}

export interface BoundHeader<C extends Columns = Columns> {
  readonly schema: FeedSchema<C>
  /** In file order. */
  readonly columns: readonly BoundColumn[]
  /** Columns of the file outside of the projection. A reader must not take them for empty ones. */
  readonly leftOut?: ReadonlyMap<string, BoundColumn>
  /** The same, and behind them the columns of the schema that the file lacks: they read as empty. */
  readonly all: readonly BoundColumn[]
  /** The index of a column in `all` by its name. */
  readonly indexes: NamePredictor
  /** How the rows write their cells; undefined where as in the documented files. */
  readonly cells?: CellRules
}

const TEXT = text()

/**
 * Binds the column names of a header line. A column of the schema has the first heading that is its
 * exact name; else the first that differs from it in case or in spaces around it; else the first of
 * its first alias, and so on. Every other heading is a column of text under its own name. Later
 * copies of a heading are readable as `name#2`, `name#3` and so on; a required column must not be
 * repeated, in whatever case.
 * @param isStored true for rows that were read under another schema, which could demand less
 * @throws FeedError TSV_COLUMN_MISSING, TSV_COLUMN_REPEATED
 */
export function bindHeader<C extends Columns>(
  schema: FeedSchema<C>,
  columnNames: readonly string[],
  position: RowPosition,
  isStored = false,
): BoundHeader<C> {
  const places = placesOf(schema, columnNames)
  const known = new Map(Array.from(places, ([name, { index }]) => [index, name]))
  const taken = new Set(known.values())
  for (const index of known.keys()) taken.add(columnNames[index]!)
  const copies = new Map<string, number>()
  const columns = columnNames.map((heading, index): BoundColumn => {
    const name = known.get(index)
    if (name !== undefined) return { name, spec: schema.columns[name]!, heading, known: true }
    return { name: freeName(heading, taken, copies), spec: TEXT, heading, known: false }
  })
  for (const [name, { isRepeated }] of places)
    if (isRepeated && schema.columns[name]!.required && !isStored)
      throw new FeedError('TSV_COLUMN_REPEATED', `the header names ${name} twice`, {
        ...position,
        column: name,
      })
  const all = [...columns, ...absentColumns(schema, places, isStored ? undefined : position)]
  return { schema, columns, all, indexes: new NamePredictor(all) }
}

/** Counts the column names of a header line that the schema knows. */
export function countKnownNames(schema: FeedSchema, columnNames: readonly string[]): number {
  const spellings = spellingsOf(schema)
  return columnNames.filter(name => spellings.has(spellingOf(name))).length
}

/** The heading that a column of the schema has. */
interface Place {
  readonly index: number
  /** How well the heading fits: 0 for the exact name, 1 for its spelling, 2 for the first alias. */
  readonly rank: number
  readonly spelling: string
  /** True where another heading has the same spelling. */
  isRepeated: boolean
}

/** Finds the heading of each column of the schema that the file has. */
function placesOf(schema: FeedSchema, columnNames: readonly string[]): Map<string, Place> {
  const spellings = spellingsOf(schema)
  const places = new Map<string, Place>()
  columnNames.forEach((heading, index) => {
    const spelling = spellingOf(heading)
    const meant = spellings.get(spelling)
    if (meant === undefined) return
    const rank = heading === meant.name ? 0 : meant.rank
    const place = places.get(meant.name)
    const isRepeated = place?.spelling === spelling
    if (place === undefined || rank < place.rank)
      places.set(meant.name, { index, rank, spelling, isRepeated })
    else place.isRepeated ||= isRepeated
  })
  return places
}

/** Returns the heading, with a number where it is taken, and takes that name. */
function freeName(heading: string, taken: Set<string>, copies: Map<string, number>): string {
  let name = heading
  if (taken.has(heading)) {
    // The count goes on from the last copy: a search for a free number from 2 on would make the
    // cost quadratic for thousands of equal column names.
    let copy = copies.get(heading) ?? 2
    while (taken.has(`${heading}#${copy}`)) copy++
    copies.set(heading, copy + 1)
    name = `${heading}#${copy}`
  }
  taken.add(name)
  return name
}

function spellingsOf(schema: FeedSchema): Map<string, { readonly name: string; rank: number }> {
  const spellings = new Map<string, { readonly name: string; rank: number }>()
  for (const [name, { aliases = [] }] of Object.entries(schema.columns))
    [name, ...aliases].forEach((spelling, n) => {
      const known = spellings.get(spellingOf(spelling))
      if (known === undefined) spellings.set(spellingOf(spelling), { name, rank: n + 1 })
    })
  return spellings
}

/** @param position that of a header line which may not lack what the schema demands */
function absentColumns(
  schema: FeedSchema,
  places: ReadonlyMap<string, Place>,
  position: RowPosition | undefined,
): BoundColumn[] {
  const absent: BoundColumn[] = []
  for (const [name, spec] of Object.entries(schema.columns)) {
    if (places.has(name)) continue
    if (position !== undefined && (spec.required || spec.notNull))
      throw new FeedError('TSV_COLUMN_MISSING', `the header has no column ${name}`, {
        ...position,
        column: name,
      })
    absent.push({ name, spec, heading: name, known: true })
  }
  return absent
}

/**
 * The index of a column of the file, or of one that only the schema has, in `header.all`.
 * @throws FeedError COLUMN_UNKNOWN
 */
export function columnOf(header: BoundHeader, name: string): number {
  const column = header.indexes.get(name)
  if (column === undefined) throw unknownColumn(header, name)
  return column
}

export function unknownColumn({ all }: BoundHeader, name: string): FeedError<'COLUMN_UNKNOWN'> {
  const known = all.map(column => column.name)
  return new FeedError(
    'COLUMN_UNKNOWN',
    `neither the schema nor the file has the column ${excerpt(name)}: ${nameHint(name, known) ?? 'check its name'}`,
    { column: excerpt(name), known },
  )
}

// The projection of a file's header: the columns that a caller asks for, as the header of a file
// that has no others.

export interface ProjectedHeader<K extends Columns> {
  readonly header: BoundHeader<K>
  /**
   * Indexes of these columns in the file, in the order of `header`. Columns that the file lacks are
   * not among them. Undefined where they are all columns of the file in its order.
   */
  readonly columns: Int32Array | undefined
}

/**
 * Projects a header to the columns of these names, which the file or its schema has, in this order.
 * The columns have the names as they are spelt here.
 * @throws FeedError COLUMN_UNKNOWN
 */
export function projectHeader<K extends Columns>(
  header: BoundHeader,
  names: readonly string[],
): ProjectedHeader<K> {
  const chosen = new Map<number, BoundColumn>()
  for (const name of names) {
    const column = columnOf(header, name)
    if (!chosen.has(column)) chosen.set(column, { ...header.all[column]!, name })
  }
  const columns = Int32Array.from(chosen.keys()).filter(column => column < header.columns.length)
  const ofFile = Array.from(columns, column => chosen.get(column)!)
  for (const column of columns) chosen.delete(column)
  const all = [...ofFile, ...chosen.values()]
  const isWhole =
    columns.length === header.columns.length && columns.every((column, n) => column === n)
  const schema = schemaOf<K>(header.schema, names)
  const leftOut = new NamedColumns<BoundColumn>()
  header.columns.forEach((column, index) => {
    if (!columns.includes(index)) leftOut.set(column.name, column)
  })
  return {
    header: { ...header, schema, columns: ofFile, all, leftOut, indexes: new NamePredictor(all) },
    columns: isWhole ? undefined : columns,
  }
}

function schemaOf<K extends Columns>(
  { name, columns }: FeedSchema,
  names: readonly string[],
): FeedSchema<K> {
  const wanted = new NamedColumns(names.map(column => [column, column]))
  const chosen = Object.entries(columns).flatMap(([column, spec]) => {
    const spelt = wanted.get(column)
    return spelt === undefined ? [] : [[spelt, spec] as const]
  })
  // K has the columns of these names, and no others.
  return { name, columns: Object.fromEntries(chosen) as unknown as K }
}
