// Checks how much of the state a bootstrap would remove. A verified file can still be the wrong
// one: incomplete at its source, or of another category. So its keys are compared with those of the
// state before anything of it is written.
//
// The check leaves out a file that the service proved to be empty (a 204, or a total of 0), and a
// state of few rows, whose shares vary widely.

import { crc32, type DurableFile, FeedError, TsvParser, withFile } from '../../engine/index'
import {
  type BootstrapId,
  categoryKey,
  type FileId,
  fileIdKey,
  isBootstrap,
  keyColumnOf,
  readDate,
  schemaOfFile,
} from '../file-id'
import type { CategoryState } from '../folder/category-state'
import { batchesOf } from './file-inflater'
import type { ProvenFile } from './finish-file'

/** Number of rows from which on a state is checked. */
const LEAST_ROWS = 100

export interface RemovalCheckOptions {
  /** Opens the fetched bytes of the file. */
  readonly data: () => Promise<DurableFile | undefined>
  /** The share of the existing rows that a bootstrap may remove, 0 to 1. */
  readonly maxRemovedShare: number
  readonly signal: AbortSignal
}

/**
 * Compares the keys of a bootstrap with those of a state folder.
 * @throws FeedError SYNC_REMOVAL_REFUSED for a bootstrap that would remove too much
 */
export async function checkRemovals(
  state: CategoryState,
  { id, identity }: ProvenFile,
  { data, maxRemovedShare, signal }: RemovalCheckOptions,
): Promise<void> {
  if (
    !isBootstrap(id) ||
    identity.totalBytes === 0 ||
    maxRemovedShare >= 1 ||
    !(await hasManyRows(state, id))
  )
    return
  const file = await data()
  if (file === undefined) return
  const sample = await withFile(file, () => keysOf(id, file, signal))
  refuseRemoval(id, { ...(await compared(state, id, sample)), maxRemovedShare })
}

export interface Removal {
  readonly rowsBefore: number
  readonly rowsRemoved: number
  readonly maxRemovedShare: number
}

/** @throws FeedError SYNC_REMOVAL_REFUSED where a state of many rows would lose too many */
export function refuseRemoval(
  id: FileId,
  { rowsBefore, rowsRemoved, maxRemovedShare }: Removal,
): void {
  if (rowsBefore < LEAST_ROWS || rowsRemoved <= rowsBefore * maxRemovedShare) return
  const file = fileIdKey(id)
  const what = id.feed === 'item' ? 'items' : 'item groups'
  const message =
    `${file} would remove ${rowsRemoved} of ${rowsBefore} ${what}, and maxRemovedShare allows a share of ${maxRemovedShare}; ` +
    'nothing of it was applied. If the rows are really gone, run once with maxRemovedShare: 1 (--max-removed-share 1)'
  throw new FeedError('SYNC_REMOVAL_REFUSED', message, {
    category: categoryKey(id),
    file,
    rowsBefore,
    rowsRemoved,
    maxRemovedShare,
  })
}

async function hasManyRows(state: CategoryState, { feed }: BootstrapId): Promise<boolean> {
  let rows = 0
  for await (const block of state.heads(feed)) {
    rows += block.filter(({ version }) => !version.removed).length
    if (rows >= LEAST_ROWS) return true
  }
  return false
}

async function keysOf(id: BootstrapId, data: DurableFile, signal: AbortSignal): Promise<KeySample> {
  const sample = new KeySample()
  const column = keyColumnOf(id)
  const parser = new TsvParser({
    schema: schemaOfFile(id),
    columns: [column],
    onBadRow: 'skip',
    lends: true,
  })
  try {
    for await (const batch of batchesOf(data, parser, signal))
      for (const row of batch) sample.add(row.text(column))
    return sample
  } finally {
    parser.destroy()
  }
}

/**
 * Counts the rows that the bootstrap would remove. A row that is as new as the bootstrap stays,
 * because later files have changed it.
 */
async function compared(
  state: CategoryState,
  { feed, generation }: BootstrapId,
  sample: KeySample,
) {
  const generatedMs = readDate(generation)?.getTime() ?? Number.POSITIVE_INFINITY
  let [rowsBefore, missing] = [0, 0]
  for await (const block of state.heads(feed)) {
    for (const { itemId, version } of block) {
      if (version.removed) continue
      rowsBefore++
      if (version.timeMs < generatedMs && sample.covers(itemId) && !sample.has(itemId)) missing++
    }
  }
  return { rowsBefore, rowsRemoved: Math.min(rowsBefore, missing * sample.scale) }
}

/**
 * Limit of the keys in the sample, which take some megabytes. A share that is counted among half as
 * many has an error of about one hundredth.
 */
const MOST_KEYS = 65_536

export class KeySample {
  readonly #mostKeys: number
  #keys = new Set<string>()
  #mask = 0

  constructor(mostKeys = MOST_KEYS) {
    this.#mostKeys = mostKeys
  }

  /** Number of keys that each key of the sample represents; 1 while the sample holds all keys. */
  get scale(): number {
    return this.#mask + 1
  }

  add(key: string): void {
    if (!this.covers(key)) return
    this.#keys.add(key)
    while (this.#keys.size > this.#mostKeys) this.#halve()
  }

  /** Returns true for a key of the chosen hashes, which the sample has where it was added. */
  covers(key: string): boolean {
    return (hashOf(key) & this.#mask) === 0
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  #halve(): void {
    this.#mask = this.#mask * 2 + 1
    this.#keys = new Set([...this.#keys].filter(key => this.covers(key)))
  }
}

function hashOf(key: string): number {
  return crc32(Buffer.from(key))
}
