// The view `current_items`, as the view of the room postgres has it.

/**
 * Items with their priority, their group, and where they ship: their included regions minus their
 * excluded ones (item-feeds.md, section 2.5).
 */
export const CURRENT_ITEMS = `
  CREATE VIEW current_items AS
  WITH regions AS (
    SELECT item.*,
      coalesce(ship_to_included_regions.countries, []) AS included_countries,
      coalesce(ship_to_included_regions.regions, []) AS included_regions,
      coalesce(ship_to_excluded_regions.countries, []) AS excluded_countries,
      coalesce(ship_to_excluded_regions.regions, []) AS excluded_regions
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
    CASE WHEN item_group.item_group_id IS NOT NULL THEN item_group END AS item_group,
    CASE WHEN priority.item_id IS NOT NULL THEN priority END AS priority
  FROM rest AS item
  LEFT JOIN item_groups AS item_group
    ON item_group.item_group_id = item.primary_item_group_id
    AND item_group.marketplace = item.marketplace
    AND item_group.feed_category = item.feed_category
  LEFT JOIN priorities AS priority
    ON priority.item_id = item.item_id
    AND priority.marketplace = item.marketplace
    AND priority.feed_category = item.feed_category`
