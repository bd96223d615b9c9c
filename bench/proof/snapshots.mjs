// The addresses of the snapshots after a bootstrap file. `node snapshots.mjs FILE` prints a line for
// each hour after the time of the file: a name, in the order of time, and an address.

import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { FEEDMILL_BASE_URL: base, FEEDMILL_CATEGORIES: category, FEEDMILL_NOW: now } = process.env
const HOUR_MS = 3_600_000

/**
 * A snapshot is there two hours after the start of its hour (item-feeds.md, section 6). The first hour
 * is the nearest one, because a replaced file of the emulated service is a second older.
 */
export function snapshots(madeMs) {
  const first = Math.round(madeMs / HOUR_MS)
  const count = Date.parse(now) / HOUR_MS - 2 - first + 1
  return Array.from({ length: count }, (_, n) => {
    const hour = new Date((first + n) * HOUR_MS).toISOString()
    const url = `${base}/buy/feed/v1_beta/item_snapshot?category_id=${category}&snapshot_date=${hour}`
    return { name: `${n + 1}.tsv.gz`, url }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const { name, url } of snapshots(statSync(process.argv[2]).mtimeMs))
    console.log(`${name} ${url}`)
