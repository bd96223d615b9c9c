// The one statement that makes the table of items of a bootstrap and the hours behind it, of the gzip
// files that a state folder has kept, equal to that of this package's DuckDB file.

import { basename } from 'node:path'
import type { Columns } from '../../src/engine/schema/feed-schema'
import { itemSnapshotColumns } from '../../src/engine/schema/feed-schemas'
import { itemColumns } from '../../src/engine/schema/item-columns'
import { targetTypeOf } from '../../src/integrations/duckdb/column-types'
import { headerColumns } from '../macro/macro-case'
import { decodedRows, readCsv, type TableColumn } from './duckdb-items'

const COLUMNS: Columns = { ...itemColumns, ...itemSnapshotColumns }

interface ItemsStatement {
  readonly statement: string
  /** The names of the columns of its table. */
  readonly columns: readonly string[]
}

/** @param paths the kept files */
export async function itemsStatement(paths: readonly string[]): Promise<ItemsStatement> {
  const headers = new Map<string, { columns: FileColumn[]; paths: string[] }>()
  for (const path of paths.filter(each => /^item(?:_snapshot)?\./.test(basename(each)))) {
    const headings = await headerColumns(path)
    const same = headers.get(headings.join())
    if (same) same.paths.push(path)
    else headers.set(headings.join(), { columns: headings.map(columnOf), paths: [path] })
  }
  const groups = [...headers.values()]
  const present = new Map(
    groups.flatMap(({ columns }) => columns.map(column => [column.name, column])),
  )
  const schema = Object.keys(COLUMNS).map(columnOf)
  const typed = schema.filter(({ name }) => present.delete(name))
  const absent = schema.filter(column => !typed.includes(column))
  const more = absent.map(({ name, type }) => `NULL::${type} AS ${name}`)
  // Columns without a place in the schema, of which the files have one at most.
  for (const { name, heading } of present.values())
    more.push(`CASE WHEN ${name} IS NULL THEN MAP() ELSE MAP {'${heading}': ${name}} END AS other`)
  const rows = groups.map(group => rowsOf(group)).join('\n      UNION ALL BY NAME ')
  const newest = `(SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY item_id ORDER BY time DESC, removed DESC) AS place
    FROM (${rows})) WHERE place = 1 AND NOT removed)`
  return {
    statement: `CREATE TABLE items AS ${decodedRows(typed, newest, 'localized_aspects', more)}`,
    columns: [...schema.map(({ name }) => name), ...(present.size > 0 ? ['other'] : [])],
  }
}

/** Rows of files with one header, and their versions. */
function rowsOf(group: { columns: readonly FileColumn[]; paths: readonly string[] }): string {
  // A bootstrap is as old as its name says. A removal has no date: it is as old as its hour's end.
  const fileTime = `strptime(regexp_extract(filename, '\\d{4}-\\d\\d-\\d\\dT\\d\\d'), '%Y-%m-%dT%H')`
  const isDated = group.columns.some(({ name }) => name === 'item_snapshot_date')
  const hourEnd = `${fileTime} + INTERVAL 3599999 MILLISECONDS`
  const version = isDated
    ? `coalesce(item_snapshot_date, ${hourEnd}) AS time, availability = 'UNAVAILABLE' AS removed`
    : `${fileTime} AS time, false AS removed`
  return `SELECT *, ${version} FROM ${readCsv(group.paths, group.columns, ', filename = true')}`
}

interface FileColumn extends TableColumn {
  readonly heading: string
}

/** The column of a heading, in any of its spellings. One that no schema has is text. */
function columnOf(heading: string): FileColumn {
  const known = Object.entries(COLUMNS).find(([name, { aliases = [] }]) =>
    [name, ...aliases].some(each => each.toLowerCase() === heading.toLowerCase()),
  )
  const [name, spec] = known ?? [heading, { type: 'text' } as Columns[string]]
  const snakeCase = name.replace(/\B[A-Z]/g, '_$&').toLowerCase()
  return { name: snakeCase, type: targetTypeOf(spec), spec, heading }
}
