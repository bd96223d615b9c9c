// The merged state of a category: for every item the newest row and the newest priority row. An
// item has two registers, because a priority row does not replace the item's row. Both parts share
// the memory, and move to the disk together.

import {
  type AnyBatch,
  type Columns,
  type FeedSchema,
  type ItemPriorityColumns,
  itemPrioritySchema,
  type VersionOf,
} from '../../engine/index'
import { InStep } from '../in-step'
import { ScratchFolder } from '../spill/scratch-folder'
import type { MergeChange, MergedItem } from './merged-item'
import type { ChangeOptions } from './register-change'
import { RegisterTable } from './register-table'

export interface MergedStateOptions<C extends Columns> {
  readonly schema: FeedSchema<C>
  readonly versionOf: VersionOf | undefined
  readonly changes: ChangeOptions
  /** Bytes of memory that the state takes before it moves to the disk. */
  readonly memoryBytes: number
  /** Default: a folder of the machine. */
  readonly folder?: ScratchFolder
}

export class MergedState<C extends Columns> {
  readonly #items: RegisterTable<'item', C>
  readonly #priorities: RegisterTable<'priority', ItemPriorityColumns>
  readonly #memoryBytes: number
  readonly #folder: ScratchFolder

  constructor({ schema, memoryBytes, folder, ...options }: MergedStateOptions<C>) {
    this.#memoryBytes = memoryBytes
    this.#folder = folder ?? new ScratchFolder()
    this.#items = new RegisterTable({ part: 'item', schema, ...options })
    this.#priorities = new RegisterTable({
      part: 'priority',
      schema: itemPrioritySchema,
      ...options,
    })
  }

  /**
   * Takes a batch.
   * @returns the change of each row; none once the state has moved to the disk
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID
   */
  add(batch: AnyBatch): readonly MergeChange<C>[] {
    const isPriority = batch.file.feed === 'item_priority'
    return isPriority ? this.#priorities.add(batch) : this.#items.add(batch)
  }

  /** True where {@link spill} is due. */
  get isFull(): boolean {
    return this.#items.byteLength + this.#priorities.byteLength > this.#memoryBytes
  }

  /** Moves what is in memory to the disk. @throws FeedError STATE_IO */
  async spill(): Promise<void> {
    await this.#items.spill(this.#folder)
    await this.#priorities.spill(this.#folder)
  }

  /**
   * Yields the changes of the rows that were added since the state has moved to the disk, in blocks:
   * those of item rows in the order of their keys, and then those of priority rows.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async *changes(): AsyncGenerator<readonly MergeChange<C>[], void, void> {
    yield* this.#items.changes()
    yield* this.#priorities.changes()
  }

  /**
   * Yields the items in key order, in blocks. Removed items, and priorities of unknown items, are
   * left out.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async *entries(): AsyncGenerator<MergedItem<C>[], void, void> {
    const priorities = new InStep(this.#priorities.entries())
    try {
      for await (const block of this.#items.entries()) {
        const priorityOf = await priorities.of(block)
        const items: MergedItem<C>[] = []
        for (const { key: itemId, row, version } of block) {
          if (row !== null)
            items.push({ itemId, row, priority: priorityOf.get(itemId) ?? null, version })
        }
        if (items.length > 0) yield items
      }
    } finally {
      await priorities.close()
    }
  }

  /** Frees the memory and removes the temporary folder. */
  close(): Promise<void> {
    this.#items.clear()
    this.#priorities.clear()
    return this.#folder.close()
  }
}
