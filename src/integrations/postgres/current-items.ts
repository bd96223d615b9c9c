// The view `current_items`: each item with its group, its priority and where it ships, as the view of
// the room duckdb has them. Regions are jsonb here.

import type { TargetNames } from './sql-names'

/**
 * The statement that makes the view. The regions of an item are the included ones minus the
 * excluded ones (item-feeds.md, section 2.5).
 */
export function currentItems(names: TargetNames): string {
  const texts = (column: string, field: string) =>
    `ARRAY(SELECT jsonb_array_elements_text(coalesce(item.${column}->'${field}', '[]')))`
  const shipped = (field: string) =>
    `ARRAY(SELECT name FROM unnest(ships.included_${field}) WITH ORDINALITY AS each (name, n)
       WHERE NOT 'WORLDWIDE' = ANY (ships.excluded_regions)
         AND name <> ALL (ships.excluded_${field}) ORDER BY n)`
  return `
CREATE VIEW ${names.table('current_items')} AS
SELECT item.*,
  jsonb_build_object(
    'countries', to_jsonb(shown.countries),
    'regions', to_jsonb(shown.regions),
    'except_countries', to_jsonb(CASE WHEN cardinality(shown.regions) > 0
      THEN ships.excluded_countries ELSE '{}' END),
    'except_regions', to_jsonb(CASE WHEN cardinality(shown.countries) + cardinality(shown.regions) > 0
      THEN ships.excluded_regions ELSE '{}' END)
  ) AS ship_to,
  to_jsonb(item_group) AS item_group,
  to_jsonb(priority) AS priority
FROM ${names.table('items')} AS item
CROSS JOIN LATERAL (SELECT
  ${texts('ship_to_included_regions', 'countries')} AS included_countries,
  ${texts('ship_to_included_regions', 'regions')} AS included_regions,
  ${texts('ship_to_excluded_regions', 'countries')} AS excluded_countries,
  ${texts('ship_to_excluded_regions', 'regions')} AS excluded_regions
) AS ships
CROSS JOIN LATERAL (SELECT ${shipped('countries')} AS countries, ${shipped('regions')} AS regions) AS shown
LEFT JOIN ${names.table('item_groups')} AS item_group
  ON item_group.item_group_id = item.primary_item_group_id
  AND item_group.marketplace = item.marketplace AND item_group.feed_category = item.feed_category
LEFT JOIN ${names.table('priorities')} AS priority
  ON priority.item_id = item.item_id
  AND priority.marketplace = item.marketplace AND priority.feed_category = item.feed_category`
}
