// `feedmill sample`: writes an item feed of the emulated world to a file, for a first program that
// has no account of the service.

import { lstat } from 'node:fs/promises'
import { createWorld, gzipBytes } from '../emulator'
import { byteSink, pipeline } from '../index'
import { byteSizeText } from './byte-size'
import type { SampleOptions } from './emulator-commands'
import { jsonText, print } from './output'
import { usageError } from './usage-error'

type SampleFile = Awaited<ReturnType<typeof writeSample>>

export async function sample(path: string, { json, ...options }: SampleOptions): Promise<void> {
  const file = await writeSample(path, options)
  await print(json ? jsonText(file) : sampleLines(file))
}

/**
 * Writes the bootstrap of a category at the start of a world, as gzip, with the column names that
 * files of the service have.
 * @throws FeedError OPTION_INVALID where something is at the path: a sample must not replace a file
 * of the user's
 */
export async function writeSample(path: string, options: Omit<SampleOptions, 'json'>) {
  await refuseExisting(path)
  const world = createWorld(options)
  const { marketplaces, categories } = world.options
  const place = { marketplaceId: marketplaces[0]!, categoryId: categories[0]! }
  const span = { from: world.start, to: world.start }
  const file = { feed: 'item', content: 'bootstrap', ...place, ...span } as const
  let bytes = 0
  await pipeline(gzipBytes(world, file, { headerSpelling: 'PascalCase' }))
    .tap(block => void (bytes += block.length))
    .run(byteSink(path))
  let rows = 0
  for (const _ of world.itemsAt(world.start, place)) rows++
  return { path, rows, bytes }
}

async function refuseExisting(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there === undefined) return
  const message = `${path} is there already: name another file, or remove it`
  throw usageError('<file>', 'a path where nothing is', path, message)
}

function sampleLines({ path, rows, bytes }: SampleFile): string[] {
  return [
    `${path}: an item feed of ${rows} rows, ${byteSizeText(bytes)} of gzip`,
    `See what is in it: npx feedmill inspect ${path}`,
  ]
}
