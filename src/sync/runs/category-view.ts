// A category of a folder of runs for a reader: its ledger and its rows as the manifest had them when
// it was read. A writer that replaces runs meanwhile removes only their names: a reader has them
// open.

import { join } from 'node:path'
import {
  type Columns,
  corruptState,
  type DurableFiles,
  FeedError,
  type FeedSchema,
  type ItemGroupColumns,
  type ItemPriorityColumns,
  type ItemSnapshotColumns,
  itemGroupSchema,
  itemPrioritySchema,
  itemSnapshotSchema,
  type Row,
} from '../../engine/index'
import {
  BlockCache,
  comparePlaces,
  inStep,
  keyOf,
  RunTable,
  type SequencedRun,
  type StandingPlace,
  versionAt,
} from '../../state/index'
import type { Category } from '../file-id'
import { ItemLines, type ItemRows } from '../read/state-item-lines'
import type { StateItem } from '../read/state-items'
import type { AppliedFile } from '../target/target'
import { MANIFEST, type Manifest, readManifest, type TableName } from './manifest'
import { RunFiles } from './run-files'

const SCHEMAS: Readonly<Partial<Record<TableName, FeedSchema<Columns>>>> = {
  item: itemSnapshotSchema,
  group: itemGroupSchema,
  priority: itemPrioritySchema,
}

/** @param own the schema of a feed of one's own */
export function schemaOfTable(
  name: TableName,
  own: FeedSchema<Columns> | undefined,
): FeedSchema<Columns> {
  return SCHEMAS[name] ?? own!
}

interface JoinedRows extends ItemRows {
  readonly places: readonly StandingPlace[]
}

export class CategoryView {
  readonly #manifest: Manifest
  readonly #files: RunFiles
  readonly #runs: ReadonlyMap<TableName, readonly SequencedRun[]>
  readonly #cache: BlockCache
  readonly #items: RunTable<ItemSnapshotColumns>
  readonly #priorities: RunTable<ItemPriorityColumns>
  readonly #groups: RunTable<ItemGroupColumns>

  private constructor(
    manifest: Manifest,
    files: RunFiles,
    runs: ReadonlyMap<TableName, readonly SequencedRun[]>,
    cache: BlockCache,
  ) {
    this.#manifest = manifest
    this.#files = files
    this.#runs = runs
    this.#cache = cache
    this.#items = this.#table('item')
    this.#priorities = this.#table('priority')
    this.#groups = this.#table('group')
  }

  /**
   * Opens the last state that a writer has made visible. Returns undefined where there is none yet.
   * @param cache of the blocks that look-ups read
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  static async open(
    files: DurableFiles,
    folder: string,
    cache = new BlockCache(),
  ): Promise<CategoryView | undefined> {
    const path = join(folder, MANIFEST)
    let before: Manifest | undefined
    for (;;) {
      const manifest = await readManifest(files, path)
      if (manifest === undefined) return undefined
      const runFiles = new RunFiles(files, folder)
      const runs = new Map<TableName, readonly SequencedRun[]>()
      try {
        for (const [name, table] of Object.entries(manifest.tables))
          runs.set(name as TableName, await runFiles.opened(table.runs))
        return new CategoryView(manifest, runFiles, runs, cache)
      } catch (error) {
        await runFiles.close()
        if (!isGone(error)) throw error
        // A writer has replaced the runs since the manifest was read, and the manifest before them.
        if (JSON.stringify(manifest) === JSON.stringify(before))
          throw corruptState(path, 'a run that it names is missing', error)
        before = manifest
      }
    }
  }

  get category(): Category {
    return this.#manifest.category
  }

  /** The ledger, in the order in which the files were applied. */
  get files(): readonly AppliedFile[] {
    return this.#manifest.files
  }

  /** Yields the items in the order of their keys, in blocks of a few hundred at most. */
  async *items(): AsyncGenerator<StateItem[], void, void> {
    for await (const { places, rows, priorities, groups } of this.#joined(false))
      yield places.map(({ block, n }, at): StateItem => {
        const [itemId, version] = [keyOf(block.heads, n), versionAt(block, n)]
        return { itemId, row: rows[at]!, version, priority: priorities[at]!, group: groups[at]! }
      })
  }

  /** Yields the items as lines of JSON, as {@link stateItemLines} gives them. */
  async *lines(): AsyncGenerator<Uint8Array, void, void> {
    const lines = new ItemLines()
    for await (const items of this.#joined(true)) yield lines.of(items)
  }

  /**
   * Yields the rows of the items with what is joined to them, in the order of their keys.
   * @param isLent true where the caller is done with rows before it asks for the next, and needs no
   * places of theirs in their files
   */
  async *#joined(isLent: boolean): AsyncGenerator<JoinedRows, void, void> {
    const items = this.#items
    const priorities = this.#priorities
    const second = inStep(priorities.places(), comparePlaces)
    // A listing leaves the blocks of look-ups in memory.
    const groups = this.#table<ItemGroupColumns>('group', undefined, new BlockCache())
    for await (const all of items.places(isLent)) {
      const rows = all.map(place => (isLent ? items.bareRowAt(place) : items.rowAt(place)))
      const groupIds = rows.map(row => row.ownText('primaryItemGroupId'))
      for (let from = 0; from < all.length; ) {
        const groupOf = await groups.findSome(groupIds.slice(from))
        const to = from + groupOf.length
        const places = all.slice(from, to)
        const priorityOf = await second.of(places)
        yield {
          places,
          rows: rows.slice(from, to),
          priorities: priorityOf.map(at => (at === undefined ? null : priorities.rowAt(at))),
          groups: groupOf.map(group => group?.row ?? null),
        }
        from = to
      }
    }
  }

  /** Returns the newest row of an item, its priority and its group; undefined where there is none. */
  async item(itemId: string): Promise<StateItem | undefined> {
    const [found, priority] = await Promise.all([
      this.#items.find(itemId),
      this.#priorities.find(itemId),
    ])
    if (found === undefined) return undefined
    const group = await this.group(found.row.text('primaryItemGroupId'))
    return { itemId, ...found, priority: priority?.row ?? null, group: group ?? null }
  }

  /** Returns the newest record of a group. */
  async group(itemGroupId: string): Promise<Row<ItemGroupColumns> | undefined> {
    return (await this.#groups.find(itemGroupId))?.row
  }

  /** The rows of a feed of one's own. */
  rows<C extends Columns>(schema: FeedSchema<C>): RunTable<C> {
    return this.#table('row', schema)
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  #table<C extends Columns>(
    name: TableName,
    own?: FeedSchema<C>,
    cache = this.#cache,
  ): RunTable<C> {
    const { floors } = this.#manifest.tables[name]
    const schema = schemaOfTable(name, own) as FeedSchema<C>
    return new RunTable(schema, this.#runs.get(name)!, floors, cache)
  }
}

function isGone(error: unknown): boolean {
  return FeedError.is(error) && error.code === 'STATE_IO' && error.context.reason === 'ENOENT'
}
