// A target in memory: the shortest one that keeps every law. It shows what a target has to do, and
// the laws are tested with it. `MemoryPlace` is what a database would be: it outlives a run.

import { judgeArrival, type RegisterHead } from '../../../src/engine/codec/merge/register'
import { compareVersions } from '../../../src/engine/codec/merge/version-order'
import type { Row } from '../../../src/engine/codec/row-batch'
import { FeedError } from '../../../src/engine/errors'
import type { Columns } from '../../../src/engine/schema/feed-schema'
import { type Category, categoryKey } from '../../../src/sync/file-id'
import {
  type AppliedFile,
  NO_ROWS,
  type OpenTarget,
  type SyncTarget,
  type TargetCategory,
  type TargetFile,
} from '../../../src/sync/target/target'

export type Part = 'item' | 'priority' | 'group'

export interface KeptRow {
  readonly head: RegisterHead
  readonly row: Row<Columns> | undefined
}

interface Content {
  readonly rows: ReadonlyMap<string, KeptRow>
  readonly files: readonly AppliedFile[]
  readonly forgotten?: Date
}

const EMPTY: Content = { rows: new Map(), files: [] }

export class MemoryPlace {
  /** The service of the rows. */
  service: string | undefined
  readonly contents = new Map<string, Content>()
  readonly writers = new Set<string>()
}

export function memoryTarget(place: MemoryPlace): SyncTarget {
  return {
    name: 'memory',
    open: async ({ origin }) => {
      const expected = (place.service ??= origin.service)
      const received = origin.service
      if (received === expected) return new OpenMemory(place)
      const context = { path: 'memory', what: 'service', expected, received }
      throw new FeedError('STATE_FOREIGN', `the rows are those of ${expected}`, context)
    },
  }
}

class OpenMemory implements OpenTarget {
  readonly #place: MemoryPlace
  readonly #locked: string[] = []

  constructor(place: MemoryPlace) {
    this.#place = place
  }

  async category(category: Category): Promise<TargetCategory> {
    const key = categoryKey(category)
    if (this.#place.writers.has(key)) {
      const path = `memory:${key}`
      throw new FeedError('STATE_LOCKED', `${path} has another writer`, { path })
    }
    this.#place.writers.add(key)
    this.#locked.push(key)
    return new MemoryCategory(category, this.#place)
  }

  async close(): Promise<void> {
    for (const key of this.#locked) this.#place.writers.delete(key)
  }
}

class MemoryCategory implements TargetCategory {
  readonly category: Category
  readonly #key: string
  readonly #contents: Map<string, Content>

  constructor(category: Category, { contents }: MemoryPlace) {
    this.category = category
    this.#key = categoryKey(category)
    this.#contents = contents
  }

  get #content(): Content {
    return this.#contents.get(this.#key) ?? EMPTY
  }

  get files(): readonly AppliedFile[] {
    return this.#content.files
  }

  async apply(file: TargetFile): Promise<AppliedFile> {
    const part = partOf(file.id.feed)
    const rows = new Map(this.#content.rows)
    const tally = { ...NO_ROWS }
    const isThere = ([key, { row }]: [string, KeptRow]) =>
      key.startsWith(`${part}:`) && row !== undefined
    const rowsBefore = [...rows].filter(isThere).length
    for await (const arrived of file.rows()) {
      ;[...arrived.batch].forEach((row, n) => {
        const key = `${part}:${arrived.key(n)}`
        const head = arrived.head(n)
        const kept = rows.get(key)
        const difference = head.checksum - (kept?.head.checksum ?? 0)
        const { kind, writes } = judgeArrival(head, kept?.head, difference)
        tally[kind]++
        if (writes) rows.set(key, { head, row: head.version.removed ? undefined : row.detach() })
      })
    }
    if (file.generated !== undefined) {
      const timeMs = file.generated.getTime()
      const version = { timeMs, removed: true, generatedMs: timeMs }
      const isOlder = (kept: KeptRow) => compareVersions(kept.head.version, version) < 0
      const lacking = [...rows].filter(
        entry => isThere(entry) && isOlder(entry[1]) && entry[1].head.version.timeMs < timeMs,
      )
      file.checkRemoval(rowsBefore, lacking.length)
      for (const [key] of lacking) rows.set(key, { head: { version, checksum: 0 }, row: undefined })
      tally.deleted += lacking.length
    }
    const { id, identity, rawBytes, badRows } = file
    const sequence = this.files.length + 1
    const applied = { id, ...identity, rawBytes, sequence, rows: tally, badRows }
    await file.accept(applied, this.files)
    this.#contents.set(this.#key, {
      ...this.#content,
      rows,
      files: [...this.files, applied],
    })
    return applied
  }

  async removalsForgotten(): Promise<Date | undefined> {
    return this.#content.forgotten
  }

  async forgetRemovals(before: Date): Promise<void> {
    const isKept = ([, { head }]: [string, KeptRow]) =>
      !head.version.removed || head.version.timeMs >= before.getTime()
    const rows = new Map([...this.#content.rows].filter(isKept))
    this.#contents.set(this.#key, { ...this.#content, rows, forgotten: before })
  }
}

export function partOf(feed: TargetFile['id']['feed']): Part {
  if (feed === 'item_group') return 'group'
  return feed === 'item_priority' ? 'priority' : 'item'
}
