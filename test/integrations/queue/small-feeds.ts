// Three feeds of one's own, each with its description and its files in a folder: a full file, and files
// of changes that replace, remove and add rows.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const FEEDS = ['partner', 'prices', 'stock'] as const
/** Number of files of each feed. */
export const FILES = 6
const ROWS = 200

/** @returns the paths of the descriptions */
export function writeFeeds(folder: string): string[] {
  return FEEDS.map((name, seed) => {
    const place = join(folder, name)
    mkdirSync(place, { recursive: true })
    const files = Array.from({ length: FILES }, (_, n) => {
      writeFileSync(join(place, `${n}.tsv`), textOf(seed, n))
      return { id: `${n}`, from: `${n}.tsv`, kind: n === 0 ? 'full' : 'changes', time: timeOf(n) }
    })
    const path = join(place, 'feed.json')
    writeFileSync(path, JSON.stringify({ name, ...ROWS_OF_A_FEED, files }))
    return path
  })
}

const ROWS_OF_A_FEED = {
  columns: {
    sku: { type: 'text' },
    stock: { type: 'int32' },
    seen: { type: 'timestamp' },
    note: { type: 'text' },
  },
  key: 'sku',
  version: 'seen',
  removed: { column: 'note', equals: 'deleted' },
}

function timeOf(file: number): string {
  return `2026-03-0${file + 1}T00:00:00Z`
}

function textOf(seed: number, file: number): string {
  const first = file === 0 ? 0 : 40 * file
  const rows = Array.from({ length: file === 0 ? ROWS : 60 }, (_, n) => {
    const note = file > 0 && n % 5 === 0 ? 'deleted' : `note ${seed}.${file}.${n}`
    return `S-${first + n}\t${n * (seed + 1)}\t${timeOf(file)}\t${note}\n`
  })
  return `sku\tstock\tseen\tnote\n${rows.join('')}`
}
