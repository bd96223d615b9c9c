// Chooses the schema of a file by its column names, binds the names to it without refusing any
// file, and says how they differ.

import type { FeedSchema } from '../engine/index'
import {
  type BoundColumn,
  type BoundHeader,
  bindHeader,
  countKnownNames,
  FEED_SCHEMAS,
  spellingOf,
} from '../engine/index'
import type { HeaderReport } from './report'

const HEADER_PLACE = { row: 0, line: 1, byteOffset: 0 }
/** A guess knows so many names of the file, or all of a file that has fewer. */
const LEAST_KNOWN = 2

/**
 * Returns the schema of the four feeds that knows most of the names; of equal ones that with the
 * fewest columns. Returns undefined where none knows two of the names, or all of fewer.
 */
export function guessedSchema(names: readonly string[]): FeedSchema | undefined {
  const [best] = Object.values<FeedSchema>(FEED_SCHEMAS)
    .map(schema => ({
      schema,
      known: countKnownNames(schema, names),
      size: Object.keys(schema.columns).length,
    }))
    .sort((a, b) => b.known - a.known || a.size - b.size)
  return best && best.known >= Math.min(LEAST_KNOWN, names.length) ? best.schema : undefined
}

/** Binds names to a schema, of which any column may be absent, empty or repeated. */
export function looseHeader(schema: FeedSchema, names: readonly string[]): BoundHeader {
  const columns = Object.fromEntries(
    Object.entries(schema.columns).map(([name, { required: _, notNull: __, ...spec }]) => [
      name,
      spec,
    ]),
  )
  return bindHeader({ name: schema.name, columns }, names, HEADER_PLACE)
}

/** @param columns those of a {@link looseHeader} */
export function headerReport(schema: FeedSchema, columns: BoundHeader['columns']): HeaderReport {
  const known = columns.filter(column => column.known)
  const names = new Set(known.map(({ name }) => name))
  const order = Object.keys(schema.columns)
  const copied = copiedNames(columns)
  const places = known.map(({ name }) => order.indexOf(name))
  const isStrict = (name: string) => {
    const { required, notNull } = schema.columns[name] ?? {}
    return required === true || notNull === true
  }
  return {
    columns: columns.map(({ heading }) => heading),
    missing: order
      .filter(name => !names.has(name))
      .map(name => ({ name, required: isStrict(name) })),
    unknown: columns.filter(column => !column.known && !copied.has(column)).map(({ name }) => name),
    renamed: known.filter(isRenamed).map(({ name, heading }) => ({ name, heading })),
    deprecated: known.flatMap(({ name, spec: { deprecated } }) =>
      deprecated === undefined ? [] : [{ name, statement: deprecated }],
    ),
    repeated: [...new Set(copied.values())].map(name => ({
      name,
      count: 1 + [...copied.values()].filter(other => other === name).length,
      required: schema.columns[name]?.required === true,
    })),
    isInOrder: places.every((place, n) => n === 0 || places[n - 1]! < place),
  }
}

/** True where the name of the file is an alias. Spaces around it and its case do not count. */
function isRenamed({ name, heading }: BoundColumn): boolean {
  return spellingOf(heading) !== spellingOf(name)
}

/**
 * The names of which columns are later copies, `name#2` and so on, or of a heading of the same
 * spelling as that of a column of the schema.
 */
function copiedNames(columns: readonly BoundColumn[]): Map<BoundColumn, string> {
  const known = columns.filter(column => column.known)
  const spelt = new Map(known.map(({ name, heading }) => [spellingOf(heading), name]))
  const copied = new Map<BoundColumn, string>()
  for (const column of columns) {
    const name = spelt.get(spellingOf(column.heading)) ?? column.heading
    if (!column.known && name !== column.name) copied.set(column, name)
  }
  return copied
}
