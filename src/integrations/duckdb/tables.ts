// The tables of a database that `sync` writes, their views, and the ledger in the table `files`. If
// you change a table, give FORMAT its next number, and also change src/guide/databases.md. A column of
// a feed that a release adds is added to the tables of an earlier one.

import {
  arrowTypeOf,
  type ColumnSpec,
  type Columns,
  itemGroupColumns,
  itemPriorityColumns,
  itemSnapshotColumns,
  missingState,
  sqlIdentifier,
} from '../../engine/index'
import {
  type AppliedFile,
  appliedFileOf,
  type Category,
  type FileId,
  type LedgerRow,
  ledgerRowOf,
  type StateOrigin,
} from '../../sync/index'
import { OTHER_CELLS_SQL, sqlTypeOf } from './column-types'
import { type Database, sqlText } from './database'
import { foreign } from './duckdb-errors'

/** One of the three tables of rows. */
export interface RowTable {
  readonly name: 'items' | 'item_groups' | 'priorities'
  readonly key: 'itemId' | 'itemGroupId'
  readonly columns: Columns
}

const ITEMS: RowTable = { name: 'items', key: 'itemId', columns: itemSnapshotColumns }
const GROUPS: RowTable = { name: 'item_groups', key: 'itemGroupId', columns: itemGroupColumns }
const PRIORITIES: RowTable = { name: 'priorities', key: 'itemId', columns: itemPriorityColumns }
const ROW_TABLES = [ITEMS, GROUPS, PRIORITIES]

export function tableOf({ feed }: FileId): RowTable {
  if (feed === 'item_group') return GROUPS
  return feed === 'item_priority' ? PRIORITIES : ITEMS
}

/** The table that says whose the others are. */
const META = 'feedmill'
const META_COLUMNS = 'name,value'
const TABLE_NAMES = [
  META,
  ...ROW_TABLES.map(({ name }) => name),
  'removals',
  'files',
  'forgotten_removals',
  'current_items',
]

/** Digits of a decimal of the feeds, in all and behind the point. */
export const DECIMAL_DIGITS = 18
export const DECIMAL_SCALE = 4

/** What a row has of its own: its version, after its category and the number of its file. */
export const VERSION_COLUMNS = ['version_ms', 'generated_ms', 'checksum']

/** What identifies a row's category and its version, after the columns of the feed. */
const OWN_COLUMNS = [
  'marketplace VARCHAR',
  'top_category_id VARCHAR',
  // The number of the file in the ledger of the category.
  'file INTEGER',
  ...VERSION_COLUMNS.map(name => `${name} BIGINT`),
]

/** The format that this program writes and reads. */
const FORMAT = 1

const DEFINITIONS = () => `
    ${ROW_TABLES.map(({ name, columns }) => createTable(name, columns)).join('\n')}
    CREATE TABLE removals (
      marketplace VARCHAR, top_category_id VARCHAR, "table" VARCHAR, key VARCHAR,
      version_ms BIGINT, generated_ms BIGINT
    );
    CREATE TABLE files (
      marketplace VARCHAR, top_category_id VARCHAR, sequence INTEGER, file VARCHAR,
      last_modified VARCHAR, etag VARCHAR, total_bytes BIGINT, raw_bytes BIGINT,
      inserted BIGINT, updated BIGINT, deleted BIGINT, unchanged BIGINT, stale BIGINT,
      bad_rows BIGINT, unfit_cells BIGINT, applied_at TIMESTAMP,
      PRIMARY KEY (marketplace, top_category_id, sequence)
    );
    CREATE TABLE forgotten_removals (
      marketplace VARCHAR, top_category_id VARCHAR, before_ms BIGINT
    );
    ${CURRENT_ITEMS}`

/**
 * Items with their priority, their group, and where they ship: their included regions minus their
 * excluded ones (item-feeds.md, section 2.5).
 */
const CURRENT_ITEMS = `
  CREATE OR REPLACE VIEW current_items AS
  WITH regions AS (
    SELECT item.*,
      coalesce(shipToIncludedRegions.countries, []) AS included_countries,
      coalesce(shipToIncludedRegions.regions, []) AS included_regions,
      coalesce(shipToExcludedRegions.countries, []) AS excluded_countries,
      coalesce(shipToExcludedRegions.regions, []) AS excluded_regions
    FROM items AS item
  ), rest AS (
    SELECT *,
      CASE WHEN list_contains(excluded_regions, 'WORLDWIDE') THEN []
        ELSE list_filter(included_countries, lambda name: NOT list_contains(excluded_countries, name))
      END AS countries,
      CASE WHEN list_contains(excluded_regions, 'WORLDWIDE') THEN []
        ELSE list_filter(included_regions, lambda name: NOT list_contains(excluded_regions, name))
      END AS regions
    FROM regions
  )
  SELECT
    item.* EXCLUDE (included_countries, included_regions, excluded_countries, excluded_regions,
      countries, regions),
    struct_pack(
      countries := countries,
      regions := regions,
      except_countries := CASE WHEN len(regions) > 0 THEN excluded_countries ELSE [] END,
      except_regions := CASE WHEN len(countries) + len(regions) > 0 THEN excluded_regions ELSE [] END
    ) AS ship_to,
    CASE WHEN item_group.itemGroupId IS NOT NULL THEN item_group END AS item_group,
    CASE WHEN priority.itemId IS NOT NULL THEN priority END AS priority
  FROM rest AS item
  LEFT JOIN item_groups AS item_group
    ON item_group.itemGroupId = item.primaryItemGroupId
    AND item_group.marketplace = item.marketplace
    AND item_group.top_category_id = item.top_category_id
  LEFT JOIN priorities AS priority
    ON priority.itemId = item.itemId
    AND priority.marketplace = item.marketplace
    AND priority.top_category_id = item.top_category_id;`

/**
 * Makes the tables of a new database, and checks whose rows they hold.
 * @throws FeedError STATE_FOREIGN, also for tables of another format
 */
export async function prepareTables(database: Database, { service }: StateOrigin): Promise<void> {
  const known = await serviceIn(database)
  if (known === service) return addColumns(database)
  if (known !== undefined) throw foreign(database.path, 'service', service, known)
  await database.run(`
    BEGIN;
    CREATE TABLE ${META} (name VARCHAR, value VARCHAR);
    ${DEFINITIONS()}
    INSERT INTO ${META} VALUES ('tables', '${FORMAT}'), ('service', ${sqlText(service)});
    COMMIT;`)
}

/** Adds the columns that the feeds of this release have and the tables lack. */
async function addColumns(database: Database): Promise<void> {
  const rows = await database.rows<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'main'`,
  )
  const present = new Set(rows.map(({ name }) => name))
  const added = ROW_TABLES.flatMap(({ name: table, columns }) =>
    Object.entries(columns).flatMap(([column, spec]) =>
      present.has(`${table}.${column}`)
        ? []
        : [`ALTER TABLE ${table} ADD COLUMN ${columnOf(column, spec)};`],
    ),
  )
  // A view has the columns that its tables had when it was made.
  if (added.length > 0) await database.run(`BEGIN; ${added.join('')} ${CURRENT_ITEMS} COMMIT;`)
}

/** @throws FeedError STATE_MISSING for a database without the tables of `sync`, STATE_FOREIGN */
export async function serviceOf(database: Database): Promise<string> {
  const service = await serviceIn(database)
  if (service === undefined) throw missingState(database.path)
  return service
}

/**
 * Returns the service of the rows; undefined where no table or view has one of our names.
 * @throws FeedError STATE_FOREIGN where somebody else made one of them, or in another format
 */
async function serviceIn(database: Database): Promise<string | undefined> {
  // DuckDB finds a table whatever the case of its name.
  const found = await database.rows<{ name: string; columns: string }>(
    `SELECT lower(table_name) AS name, string_agg(column_name, ',' ORDER BY column_index) AS columns
     FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
       AND schema_name = 'main' AND name IN (${TABLE_NAMES.map(sqlText).join(', ')})
     GROUP BY ALL`,
  )
  if (found.length === 0) return undefined
  const hasMeta = found.find(({ name }) => name === META)?.columns === META_COLUMNS
  const settings = hasMeta ? await metaOf(database) : new Map<string, string>()
  const [service, version] = [settings.get('service'), settings.get('tables')]
  if (version !== undefined && version !== String(FORMAT))
    throw foreign(database.path, 'tables', `version ${FORMAT}`, `version ${version}`)
  const isWhole = TABLE_NAMES.every(name => found.some(table => table.name === name))
  if (isWhole && version !== undefined && service !== undefined) return service
  throw foreign(database.path, 'tables', 'those of feedmill', `another ${found[0]!.name}`)
}

/** Returns the names and values that say whose tables these are. */
async function metaOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await database.rows<{ name: string; value: string }>(`SELECT * FROM ${META}`)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** The statement that makes a table for TypedRows. */
function createTable(name: string, columns: Columns): string {
  const typed = Object.entries(columns).map(([column, spec]) => columnOf(column, spec))
  const others = `other ${OTHER_CELLS_SQL}`
  return `CREATE TABLE ${sqlIdentifier(name)} (${[...typed, others, ...OWN_COLUMNS].join(', ')});`
}

/** The name and the type of a column. */
function columnOf(name: string, spec: ColumnSpec): string {
  const isPrice = spec.type === 'decimal'
  const type = arrowTypeOf(isPrice ? { ...spec, scale: DECIMAL_SCALE } : spec)
  return `${sqlIdentifier(name)} ${sqlTypeOf(type, isPrice ? { digits: DECIMAL_DIGITS } : {})}`
}

/** The condition for the rows of a category. */
export function inCategory({ marketplace, categoryId }: Category): string {
  return `marketplace = ${sqlText(marketplace)} AND top_category_id = ${sqlText(categoryId)}`
}

/** Returns the categories that have files. */
export async function readCategories(database: Database): Promise<Category[]> {
  return database.rows<{ marketplace: string; categoryId: string }>(
    'SELECT DISTINCT marketplace, top_category_id AS "categoryId" FROM files ORDER BY ALL',
  )
}

/**
 * Reads the files of a category in the order in which they were applied.
 * @throws FeedError STATE_CORRUPT
 */
export async function readLedger(database: Database, category: Category): Promise<AppliedFile[]> {
  const rows = await database.rows<LedgerRow>(
    `SELECT * FROM files WHERE ${inCategory(category)} ORDER BY sequence`,
  )
  return rows.map(row => appliedFileOf(row, database.path))
}

/** Adds a file, in the transaction that is open. */
export function writeEntry(
  database: Database,
  entry: AppliedFile,
  unfitCells: number,
): Promise<void> {
  const { marketplace, categoryId: top_category_id } = entry.id
  const ledgerRow = { ...ledgerRowOf(entry), unfit_cells: unfitCells }
  const row = { marketplace, top_category_id, ...ledgerRow }
  const texts = Object.values(row).map(value =>
    value === null ? 'NULL' : typeof value === 'string' ? sqlText(value) : String(value),
  )
  return database.run(
    `INSERT INTO files (${Object.keys(row).join(', ')}, applied_at)
     VALUES (${texts.join(', ')}, now()::TIMESTAMPTZ::TIMESTAMP)`,
  )
}
