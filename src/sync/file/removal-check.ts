// Checks how much of the state a bootstrap would remove. A verified file can still be the wrong
// one: incomplete at its source, or of another category. So its keys are compared with those of the
// state before anything of it is written.
//
// The check leaves out a file that the service proved to be empty (a 204, or a total of 0), and a
// state of few rows, whose shares vary widely.

import { join } from 'node:path'
import { TsvParser } from '../../codec/tsv/parser'
import type { DurableFile } from '../../disk/durable-files'
import { withFile } from '../../disk/whole-file'
import { FeedError } from '../../errors'
import { isBootstrap, readDate, schemaOfFile } from '../feed-files'
import { categoryKey, type FileId, fileIdKey } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import type { StateFolder } from '../folder/state-folder'
import { FileInflater } from './file-inflater'
import type { ProvenFile } from './finish-file'
import { KeySample } from './key-sample'

/** Number of rows from which on a state is checked. */
const LEAST_ROWS = 100

type BootstrapId = Extract<FileId, { scope: 'ALL_ACTIVE' }>

export interface RemovalCheckOptions {
  /** The share of the existing rows that a bootstrap may remove, 0 to 1. */
  readonly maxRemovedShare: number
  readonly signal: AbortSignal
}

/**
 * @returns SYNC_REMOVAL_REFUSED for a bootstrap that would remove too much; undefined for every
 * file that may be applied
 */
export async function removalRefusal(
  { files, paths }: StateFolder,
  state: CategoryState,
  { id, identity }: ProvenFile,
  { maxRemovedShare, signal }: RemovalCheckOptions,
): Promise<FeedError<'SYNC_REMOVAL_REFUSED'> | undefined> {
  if (
    !isBootstrap(id) ||
    identity.totalBytes === 0 ||
    maxRemovedShare >= 1 ||
    !(await hasManyRows(state, id))
  )
    return undefined
  const data = await files.open(join(paths.spool(id), 'data'))
  if (data === undefined) return undefined
  const sample = await withFile(data, () => keysOf(id, data, signal))
  const { rowsBefore, rowsRemoved } = await compared(state, id, sample)
  return rowsRemoved > rowsBefore * maxRemovedShare
    ? refusal(id, { rowsBefore, rowsRemoved, maxRemovedShare })
    : undefined
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
  const column = id.feed === 'item' ? 'itemId' : 'itemGroupId'
  const parser = new TsvParser({
    schema: schemaOfFile(id),
    columns: [column],
    onBadRow: 'skip',
    lends: true,
  })
  const inflater = new FileInflater(data)
  try {
    for await (const block of inflater.blocks()) {
      signal.throwIfAborted()
      for (const batch of parser.push(block)) for (const row of batch) sample.add(row.text(column))
    }
    for (const batch of parser.end()) for (const row of batch) sample.add(row.text(column))
    return sample
  } finally {
    inflater.close()
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

function refusal(
  id: BootstrapId,
  {
    rowsBefore,
    rowsRemoved,
    maxRemovedShare,
  }: { rowsBefore: number; rowsRemoved: number; maxRemovedShare: number },
): FeedError<'SYNC_REMOVAL_REFUSED'> {
  const file = fileIdKey(id)
  const what = id.feed === 'item' ? 'items' : 'item groups'
  const message =
    `${file} would remove ${rowsRemoved} of ${rowsBefore} ${what}, and maxRemovedShare allows a share of ${maxRemovedShare}; ` +
    'nothing of it was applied. If the items are really gone, run once with maxRemovedShare: 1 (--max-removed-share 1)'
  return new FeedError('SYNC_REMOVAL_REFUSED', message, {
    category: categoryKey(id),
    file,
    rowsBefore,
    rowsRemoved,
    maxRemovedShare,
  })
}
