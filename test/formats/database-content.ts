// The content of the databases that targets write, as text that can be compared and stored. The
// databases themselves set the time at which a file was applied, `applied_at`, so it is left out; the
// test of a target checks that it is there.

import type { Json } from '@duckdb/node-api'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { duckdbRows } from '../duckdb-rows'
import type { TestDatabase } from '../integrations/postgres/test-database'

const APPLIED_AT = 'applied_at'

export interface TableContent {
  /** The types by the names of the columns. */
  readonly columns: Readonly<Record<string, string>>
  readonly constraints: readonly string[]
  /** Each without its nulls. */
  readonly rows: readonly Readonly<Record<string, Json>>[]
}

/** Returns the tables and views of a DuckDB file. */
export async function duckdbContent(path: string): Promise<Record<string, TableContent>> {
  const columns = await duckdbRows(
    path,
    `SELECT table_name AS "table", column_name AS name, data_type || if(is_nullable, '', ' NOT NULL')
       || coalesce(' DEFAULT ' || column_default, '') AS type
     FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index`,
  )
  const constraints = await duckdbRows(
    path,
    `SELECT table_name AS "table", constraint_text AS text FROM duckdb_constraints() ORDER BY ALL`,
  )
  const content: Record<string, TableContent> = {}
  for (const table of new Set(columns.map(column => String(column.table)))) {
    const ofTable = (row: Record<string, Json>) => row.table === table
    const types = columns.filter(ofTable).map(({ name, type }) => [name, type])
    const rows = await duckdbRows(path, `SELECT * FROM "${table}" ORDER BY ALL`)
    content[table] = {
      columns: Object.fromEntries(types),
      constraints: constraints.filter(ofTable).map(({ text }) => String(text)),
      rows: rows.map(row =>
        Object.fromEntries(
          Object.entries(row).filter(([name, value]) => value !== null && name !== APPLIED_AT),
        ),
      ),
    }
  }
  return content
}

/** Returns a schema of PostgreSQL as the statements that make it. */
export async function postgresDump({ sql }: TestDatabase, schema: string): Promise<string> {
  const place = escapeIdentifier(schema)
  await sql("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'")
  const lines = [`CREATE SCHEMA ${place};`]
  const relations = await sql(
    `SELECT c.oid, relname AS name, relkind AS kind FROM pg_class c
     WHERE relnamespace = to_regnamespace($1) AND NOT EXISTS (
       SELECT 1 FROM pg_constraint WHERE conindid = c.oid)
     ORDER BY relname COLLATE "C"`,
    [place],
  )
  for (const { oid, name, kind } of relations) {
    const table = `${place}.${escapeIdentifier(String(name))}`
    if (kind !== 'r') {
      lines.push(`-- ${table} of the kind ${kind}`)
      continue
    }
    const columns = await sql(
      `SELECT attname AS name, format_type(atttypid, atttypmod)
         || CASE WHEN attcollation <> typcollation THEN ' COLLATE ' || quote_ident(collname) ELSE '' END
         || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
         || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '') AS type
       FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
         LEFT JOIN pg_collation l ON l.oid = attcollation
         LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
       WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [oid],
    )
    // PostgreSQL 18 also lists NOT NULL, which the columns have.
    const constraints = await sql(
      `SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
       WHERE conrelid = $1 AND contype <> 'n' ORDER BY conname COLLATE "C"`,
      [oid],
    )
    const named = (row: Record<string, unknown>) => escapeIdentifier(String(row.name))
    const parts = [
      ...columns.map(column => `  ${named(column)} ${column.type}`),
      ...constraints.map(each => `  CONSTRAINT ${named(each)} ${each.text}`),
    ]
    lines.push(`CREATE TABLE ${table} (\n${parts.join(',\n')}\n);`)
    lines.push(...(await insertsOf(sql, table, columns.map(named))))
  }
  return `${lines.join('\n')}\n`
}

async function insertsOf(
  sql: TestDatabase['sql'],
  table: string,
  columns: readonly string[],
): Promise<string[]> {
  const texts = columns
    .filter(name => name !== escapeIdentifier(APPLIED_AT))
    .map(name => `${name}::text AS ${name}`)
  const rows = await sql(`SELECT ${texts.join(', ')} FROM ${table}`)
  const inserts = rows.map(row => {
    const cells = Object.entries(row).filter(([, text]) => text !== null)
    const names = cells.map(([name]) => escapeIdentifier(name))
    const values = cells.map(([, text]) => escapeLiteral(String(text)).trimStart())
    return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')});`
  })
  return inserts.sort()
}
