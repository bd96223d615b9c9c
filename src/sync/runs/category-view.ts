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
  comparePlaces,
  inStep,
  keyOf,
  RunTable,
  rowOf,
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

  private constructor(
    manifest: Manifest,
    files: RunFiles,
    runs: ReadonlyMap<TableName, readonly SequencedRun[]>,
  ) {
    this.#manifest = manifest
    this.#files = files
    this.#runs = runs
  }

  /**
   * Opens the last state that a writer has made visible. Returns undefined where there is none yet.
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  static async open(files: DurableFiles, folder: string): Promise<CategoryView | undefined> {
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
        return new CategoryView(manifest, runFiles, runs)
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
    const items = this.#table<ItemSnapshotColumns>('item')
    const priorities = this.#table<ItemPriorityColumns>('priority')
    const second = inStep(priorities.places(), comparePlaces)
    const groups = this.#table<ItemGroupColumns>('group')
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
    const stands = await this.#table('item').newest(itemId)
    const row = await rowOf(stands, itemSnapshotSchema)
    if (stands === undefined || row === null) return undefined
    const priority = (await this.#table<ItemPriorityColumns>('priority').find(itemId)) ?? null
    const group = (await this.group(row.text('primaryItemGroupId'))) ?? null
    return { itemId, row, version: stands.version, priority, group }
  }

  /** Returns the newest record of a group. */
  group(itemGroupId: string): Promise<Row<ItemGroupColumns> | undefined> {
    return this.#table<ItemGroupColumns>('group').find(itemGroupId)
  }

  /** The rows of a feed of one's own. */
  rows<C extends Columns>(schema: FeedSchema<C>): RunTable<C> {
    return this.#table('row', schema)
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  #table<C extends Columns>(name: TableName, own?: FeedSchema<C>): RunTable<C> {
    const { floors } = this.#manifest.tables[name]
    return new RunTable(schemaOfTable(name, own) as FeedSchema<C>, this.#runs.get(name)!, floors)
  }
}

function isGone(error: unknown): boolean {
  return FeedError.is(error) && error.code === 'STATE_IO' && error.context.reason === 'ENOENT'
}
