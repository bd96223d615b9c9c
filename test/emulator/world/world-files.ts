// Reads the files of a world with a parser of another package, as records by column name.

import { parse } from 'csv-parse/sync'
import { tsvBytes } from '../../../src/emulator/feeds/feed-file'
import type { FeedFile, FileFormat } from '../../../src/emulator/feeds/file-format'
import type { PlaceName } from '../../../src/emulator/world/place'
import type { World } from '../../../src/emulator/world/world'

export type FileRecord = Readonly<Record<string, string>>

/** The item file of all items at the world's start, with the columns after the documented ones. */
export function bootstrapItems(world: World, place: Required<PlaceName>): FileRecord[] {
  return records(world, {
    feed: 'item',
    content: 'bootstrap',
    ...place,
    from: world.start,
    to: world.start,
  })
}

export function bootstrapGroups(world: World, place: Required<PlaceName>): FileRecord[] {
  return records(world, {
    feed: 'item_group',
    content: 'bootstrap',
    ...place,
    from: world.start,
    to: world.start,
  })
}

export function snapshotItems(
  world: World,
  place: Required<PlaceName>,
  from: Date,
  to: Date,
): FileRecord[] {
  return records(world, { feed: 'item_snapshot', content: 'span', ...place, from, to })
}

function records(world: World, file: FeedFile): FileRecord[] {
  const format: FileFormat = { tailColumns: true }
  const rows = parse(Buffer.concat([...tsvBytes(world, file, format)]), {
    delimiter: '\t',
    quote: '"',
    escape: '\\',
  }) as string[][]
  const [names, ...others] = rows
  return others.map(row => Object.fromEntries(names!.map((name, n) => [name, row[n]!])))
}

/** Name and value pairs of an aspects cell, labels left out. */
export function aspectsOf(cell: string): (readonly [name: string, value: string])[] {
  return cell
    .split(';')
    .filter(pair => pair !== '')
    .map(pair => {
      const [name, value] = pair.slice(pair.indexOf('|') + 1).split(':')
      return [textOf(name!), textOf(value!)]
    })
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}
