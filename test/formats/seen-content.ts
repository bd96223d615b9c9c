// What readers see of a stored state folder, as JSON.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { objectWithInvalid } from '../../src/engine/codec/bad-cells'
import { closing } from '../../src/engine/disk/closing'
import { quarantinedRows } from '../../src/engine/quarantine/replay'
import { type AppliedFile, fileIdKey } from '../../src/sync'
import { type OpenFeed, openState } from '../../src/sync/read/open-state'
import { filesUnder } from './folder-content'
import { EARLIER, NOW, pricesSchema, stockSchema } from './stored-format'

/** The items as they are and as they were, the groups, and what stands beside the rows. */
export async function seenOfService(folder: string) {
  const seen = await closing(await openState(folder), async state => {
    const [category] = state.categories
    const groupIds = new Set<string>()
    for await (const items of category!.items())
      for (const { row } of items) groupIds.add(row.text('primaryItemGroupId'))
    const groups = await Promise.all([...groupIds].map(id => category!.group(id)))
    return {
      origin: state.origin,
      files: ledgerOf(category!.files),
      watermark: category!.plan(NOW).watermark,
      items: await objectsOf(category!.lines()),
      earlier: await closing(await category!.asOf(EARLIER), async before => ({
        at: before.at,
        items: await objectsOf(before.lines()),
      })),
      groups: groups.flatMap(group => (group === undefined ? [] : [group.toObject()])),
      ...(await seenBeside(folder)),
    }
  })
  return asJson(seen)
}

/** The rows of the feeds, and what stands beside them. */
export async function seenOfFeeds(folder: string) {
  const seen = await closing(await openState(folder), async state => ({
    origin: state.origin,
    stock: await seenOfFeed(state.feed({ name: 'stock', schema: stockSchema })),
    prices: await seenOfFeed(state.feed({ name: 'prices', schema: pricesSchema })),
    ...(await seenBeside(folder)),
  }))
  return asJson(seen)
}

/** Columns without a value are left out: there are many. */
function asJson(value: unknown) {
  const text = JSON.stringify(value, (_, each) =>
    typeof each === 'bigint' ? String(each) : (each ?? undefined),
  )
  return JSON.parse(text)
}

async function seenOfFeed(feed: Pick<OpenFeed, 'files' | 'rows'>) {
  const rows: unknown[] = []
  for await (const block of feed.rows()) rows.push(...block.map(row => objectWithInvalid(row)))
  return { files: ledgerOf(feed.files), rows }
}

export function ledgerOf(files: readonly AppliedFile[]) {
  return files.map(({ id, ...entry }) => ({ file: fileIdKey(id), ...entry }))
}

/** The changes and the quarantined rows of a folder, by their files. */
async function seenBeside(folder: string) {
  const paths = filesUnder(folder)
  const changes = paths
    .filter(path => path.startsWith('changes/'))
    .map(path => [path, jsonLines(readFileSync(join(folder, path)))])
  const quarantine: unknown[] = []
  for (const path of paths.filter(each => each.startsWith('quarantine/'))) {
    const parts = [readFileSync(join(folder, path)), Buffer.alloc(0)]
    for await (const row of quarantinedRows(path, async () => parts.shift()!, false)) {
      const { message: _, bytes, ...rest } = row
      quarantine.push({ ...rest, bytes: Buffer.from(bytes).toString('latin1') })
    }
  }
  return { changes: Object.fromEntries(changes), quarantine }
}

async function objectsOf(blocks: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const objects: unknown[] = []
  for await (const block of blocks) objects.push(...jsonLines(block))
  return objects
}

function jsonLines(bytes: Uint8Array): unknown[] {
  const lines = Buffer.from(bytes).toString().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}
