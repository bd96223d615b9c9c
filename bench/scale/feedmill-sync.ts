// The whole synchronisation by feedmill: every file fetched from the service, proven, inflated,
// parsed and merged into a state folder.

import { limitHeapGrowth } from '../../src/cli/sync/heap-growth'
import { fileIdKey, openState, sync } from '../../src/sync'
import { type Digest, type DigestColumns, TextSum } from './digest'
import { AHEAD, CATEGORY, clientsOf, type ServiceAddress } from './scale-service'

const settings = {
  marketplace: CATEGORY.marketplace,
  categories: [CATEGORY.categoryId],
  /** What `--memory 256MB` means. */
  memoryBytes: 256e6,
  /** DuckDB merges the priorities of one day. */
  limits: { priorityDaysBack: 2 },
}

/** Does what `feedmill sync --memory 256MB --until TIME` does. */
export async function synchronise(
  address: ServiceAddress,
  folder: string,
  until: Date,
): Promise<void> {
  limitHeapGrowth()
  const service = clientsOf(address)
  try {
    await sync({ ...settings, service, folder, until }).summary
  } finally {
    await service.close()
  }
}

/**
 * Follows the service until the pause behind the last file that it has is over: by a clock that is
 * ahead of the service's, a file is missing twice. In that pause the runs of the state are merged.
 */
export async function followThroughPause(address: ServiceAddress, folder: string): Promise<void> {
  limitHeapGrowth()
  const service = clientsOf(address)
  const stop = new AbortController()
  const missing = new Set<string>()
  const run = sync({
    ...settings,
    service,
    folder,
    mode: 'follow',
    now: AHEAD,
    pollMs: 1000,
    signal: stop.signal,
  })
  run.summary.catch(() => {})
  try {
    for await (const event of run) {
      if (event.type !== 'missing') continue
      if (missing.has(fileIdKey(event.file))) return
      missing.add(fileIdKey(event.file))
    }
  } finally {
    stop.abort()
    await run.summary.catch(() => {})
    await service.close()
  }
}

/** What a state folder is for those who read it. */
export interface StateLook {
  readonly openMs: number
  /** How long each key took, in a process that had read nothing before the first one. */
  readonly lookUpMs: readonly number[]
  /** The items that the keys have. */
  readonly found: number
  readonly items: number
  readonly storeBytes: number
  /** The rows of the items as lines of a TSV file, which leaves out groups and priorities. */
  readonly tsvBytes: number
}

export async function lookInto(
  folder: string,
  keys: readonly string[],
  columns: readonly string[],
): Promise<StateLook> {
  const openedAt = performance.now()
  const state = await openState(folder)
  const category = state.categories[0]!
  const openMs = performance.now() - openedAt
  const lookUpMs: number[] = []
  let found = 0
  for (const key of keys) {
    const startedAt = performance.now()
    if ((await category.item(key)) !== undefined) found++
    lookUpMs.push(performance.now() - startedAt)
  }
  let [items, tsvBytes] = [0, 0]
  for await (const block of category.items()) {
    items += block.length
    for (const { row } of block)
      for (const column of columns) tsvBytes += Buffer.byteLength(row.text(column)) + 1
  }
  const { store: storeBytes } = await state.sizes()
  await state.close()
  return { openMs, lookUpMs, found, items, storeBytes, tsvBytes }
}

/** Returns the digest of the items of the state, each with its priority and its group. */
export async function digestOf(folder: string, columns: DigestColumns): Promise<Digest> {
  const state = await openState(folder)
  const digest = new ItemsDigest(columns)
  for await (const block of state.categories[0]!.items()) {
    for (const { row, version, priority, group } of block) {
      digest.add({ row, version, priority, group })
    }
  }
  await state.close()
  return digest.result
}

interface CellTexts {
  text(column: string): string
}

interface DigestedItem {
  readonly row: CellTexts
  readonly version: { readonly timeMs: number }
  readonly priority: CellTexts | null | undefined
  readonly group: CellTexts | null | undefined
}

class ItemsDigest {
  readonly #columns: DigestColumns
  readonly #sum = new TextSum()

  constructor(columns: DigestColumns) {
    this.#columns = columns
  }

  get result(): Digest {
    return this.#sum.digest
  }

  add({ row, version, priority, group }: DigestedItem): void {
    const cells = [
      ...this.#columns.item.map(column => row.text(column)),
      version.timeMs,
      priority?.text('priorityListingPayload') ?? '',
      ...this.#columns.item_group.map(column => group?.text(column) ?? ''),
    ]
    this.#sum.add(cells.join('\t'))
  }
}
