// A schema bound to the header line of one file: by name, never by position, without regard to
// case. Columns that the schema does not know stay readable under the name that the file gives
// them.

import { FeedError, type RowPosition } from '../../errors'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import type { CellType } from '../../schema/values'
import { ColumnLookup } from './column-lookup'

export interface BoundColumn {
  /** The schema's name, or the file's own for an unknown column. */
  readonly name: string
  readonly type: CellType
  /** As the file spells it. */
  readonly heading: string
  readonly known: boolean
}

export interface BoundHeader<C extends Columns = Columns> {
  readonly schema: FeedSchema<C>
  /** In file order. */
  readonly columns: readonly BoundColumn[]
  /** Columns of the file that were not chosen: whoever needs one must not take it for empty. */
  readonly leftOut?: ReadonlySet<string>
  /** Schema columns that the file does not have: they read as empty. */
  readonly absent: ReadonlyMap<string, CellType>
  /** Column index by name. */
  readonly indexes: ColumnLookup
}

/**
 * Binds the cells of a header line. A repeated column that is not required binds once; its later
 * copies are readable as `name#2`, `name#3` and so on.
 * @throws FeedError TSV_COLUMN_MISSING, TSV_COLUMN_REPEATED
 */
export function bindHeader<C extends Columns>(
  schema: FeedSchema<C>,
  headings: readonly string[],
  position: RowPosition,
): BoundHeader<C> {
  const spellings = spellingsOf(schema)
  const columns: BoundColumn[] = []
  const indexes = new Map<string, number>()
  const copies = new Map<string, number>()
  for (const heading of headings) {
    const known = spellings.get(spellingOf(heading))
    const column = boundColumn(schema, heading, known, indexes, copies, position)
    indexes.set(column.name, columns.length)
    columns.push(column)
  }
  return {
    schema,
    columns,
    indexes: new ColumnLookup(indexes),
    absent: absentColumns(schema, indexes, position),
  }
}

/** How many of a header's cells the schema knows. */
export function knownHeadings(schema: FeedSchema, headings: readonly string[]): number {
  const spellings = spellingsOf(schema)
  return headings.filter(heading => spellings.has(spellingOf(heading))).length
}

function boundColumn(
  schema: FeedSchema,
  heading: string,
  known: string | undefined,
  indexes: ReadonlyMap<string, number>,
  copies: Map<string, number>,
  position: RowPosition,
): BoundColumn {
  const spec = known === undefined ? undefined : schema.columns[known]
  const wanted = known ?? heading
  if (!indexes.has(wanted))
    return { name: wanted, type: spec?.type ?? 'text', heading, known: spec !== undefined }
  if (spec?.required) {
    throw new FeedError('TSV_COLUMN_REPEATED', `the header names ${wanted} twice`, {
      ...position,
      column: wanted,
    })
  }
  // Counted on from the last copy: looking for a free number from 2 on would make thousands of
  // equal headings cost quadratic time.
  let copy = copies.get(wanted) ?? 2
  while (indexes.has(`${wanted}#${copy}`)) copy++
  copies.set(wanted, copy + 1)
  return { name: `${wanted}#${copy}`, type: 'text', heading, known: false }
}

/** Headings are matched without regard to case and to spaces around them. */
function spellingOf(heading: string): string {
  return heading.trim().toLowerCase()
}

function spellingsOf(schema: FeedSchema): Map<string, string> {
  const spellings = new Map<string, string>()
  for (const [name, spec] of Object.entries(schema.columns)) {
    for (const spelling of [name, ...(spec.aliases ?? [])])
      spellings.set(spelling.toLowerCase(), name)
  }
  return spellings
}

function absentColumns(
  schema: FeedSchema,
  indexes: ReadonlyMap<string, number>,
  position: RowPosition,
): Map<string, CellType> {
  const absent = new Map<string, CellType>()
  for (const [name, spec] of Object.entries(schema.columns)) {
    if (indexes.has(name)) continue
    if (spec.required)
      throw new FeedError('TSV_COLUMN_MISSING', `the header has no column ${name}`, {
        ...position,
        column: name,
      })
    absent.set(name, spec.type)
  }
  return absent
}
