// What DuckDB's own makes of item files, in SQL: cells of the types that this package's tables have,
// labels of aspects carried on to the pairs behind them; and the digest by which two tables are equal.

import { DuckDBInstance } from '@duckdb/node-api'
import { benchFailed } from '../../src/bench/bench-failed'
import type { ColumnSpec } from '../../src/engine/schema/column-spec'
import { descriptorList, regionList } from '../macro/duckdb-cells'

/** The dialect of item-feeds.md, section 2.1. */
const DIALECT = `delim = '\\t', quote = '"', escape = '\\', header = true, auto_detect = false, compression = 'gzip'`

/** A column of a table: its type in DuckDB, and its kind of cells. */
export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly spec: ColumnSpec
}

/** The cells of files with these columns. Nested ones are texts, the others are typed. */
export function readCsv(
  paths: readonly string[],
  columns: readonly TableColumn[],
  more = '',
): string {
  const types = columns.map(each => `${each.name}: '${readType(each)}'`)
  const files = paths.map(path => `'${path}'`)
  // An empty cell is an empty list, and a column that a file lacks is NULL.
  const lists = columns.filter(each => each.spec.type in LISTS).map(({ name }) => `'${name}'`)
  return `read_csv([${files.join(', ')}], ${DIALECT}, columns = {${types.join(', ')}}, force_not_null = [${lists.join(', ')}]${more})`
}

/**
 * A selection of typed columns.
 * @param rows a table of texts, as {@link readCsv} has them
 * @param aspects the name of the column of aspects
 * @param more further columns, in SQL
 */
export function decodedRows(
  columns: readonly TableColumn[],
  rows: string,
  aspects: string,
  more: readonly string[] = [],
): string {
  const cells = [...columns.map(decoded), ...more]
  // A part of a cell ends with the label of the next part, as a bar stands behind each label.
  const label = `decode(from_base64(split_part(part, ';', -1)))`
  return `SELECT ${cells.join(', ')}
    FROM (SELECT *, list_transform(parts[:-2], lambda part: ${label}) AS labels
    FROM (SELECT *, string_split(rtrim(${aspects}, ';'), '|') AS parts FROM ${rows}))`
}

const ASPECTS = `flatten(list_transform(parts, lambda part, n: list_transform(
    CASE WHEN n < len(parts) THEN string_split(part, ';')[:-2] ELSE string_split(part, ';') END,
    lambda pair: struct_pack(label := labels[n - 1],
      name := decode(from_base64(split_part(pair, ':', 1))),
      value := decode(from_base64(split_part(pair, ':', 2)))))))`

/** The kinds whose cells are lists, in SQL. */
const LISTS: Readonly<Record<string, (column: TableColumn) => string>> = {
  list: ({ name, spec }) => `string_split(${name}, '${spec.separator}')`,
  aspects: () => ASPECTS,
  conditionDescriptors: descriptorList,
}

/** DuckDB reads decimals of 128 bits slowly, so it gets 64, and a cast. */
function readType({ type, spec }: TableColumn): string {
  const isNested = spec.type === 'regions' || spec.type in LISTS
  return isNested ? 'VARCHAR' : type.replace('DECIMAL(38', 'DECIMAL(18')
}

function decoded(column: TableColumn): string {
  const { name, spec } = column
  const list = LISTS[spec.type]
  if (list) return `CASE ${name} WHEN '' THEN [] ELSE ${list(column)} END AS ${name}`
  if (spec.type === 'decimal') return `${name}::${column.type} AS ${name}`
  if (spec.type !== 'regions') return name
  const parts = `countries := ${regionList(name, 'COUNTRY')}, regions := ${regionList(name, 'REGION')}`
  return `CASE WHEN ${name} IS NOT NULL THEN struct_pack(${parts}) END AS ${name}`
}

/**
 * Compares the cells of two tables, and their types.
 * @param before statements that attach what the tables are in
 * @param columns their names, beginning with the key
 * @throws an error that names the columns that differ
 */
export async function checkEqual(
  before: string,
  tables: readonly [ours: string, other: string],
  columns: readonly string[],
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run(before)
  // The hash of an empty list is that of NULL; their texts differ.
  const digests = columns.map(
    name => `sum(hash(${columns[0]}, typeof(${name}), ${name}::VARCHAR))::VARCHAR`,
  )
  const found: unknown[][] = []
  for (const table of tables) {
    const query = `SELECT count(*)::VARCHAR, ${digests.join(', ')} FROM ${table}`
    found.push((await connection.runAndReadAll(query)).getRows()[0]!)
  }
  connection.closeSync()
  instance.closeSync()
  const [ours, other] = found as [unknown[], unknown[]]
  const differing = ['count', ...columns].filter((_, n) => ours[n] !== other[n])
  if (differing.length > 0) throw benchFailed(tables.join(' and '), `differ in ${differing}`)
}
