// The changes that a file made to the state, as lines of JSON in a file of its own. Lines are
// synced before the rows that they tell of are committed together with the log's length; what
// stands behind that length after a crash is cut off and told again: so each change is told once,
// and none before or without its row.

import type { ChangeKind } from '../../codec/merge/register'
import type { DurableFile, DurableFiles } from '../../disk/durable-files'
import { stateIo } from '../../disk/state-errors'
import { anObject, optionInvalid } from '../../options'
import { type FileId, fileIdKey } from '../file-id'

/** One change of the merged state. */
export interface StateChange {
  /** An item's row, its priority, or the record of a group. */
  readonly part: 'item' | 'priority' | 'group'
  readonly kind: Extract<ChangeKind, 'inserted' | 'updated' | 'deleted'>
  /** The item's identifier, or the group's. */
  readonly id: string
  /** From when on it is true. */
  readonly at: Date
  /** The file that told of it. */
  readonly file: FileId
  /** What is kept now; null where it was removed. */
  readonly row: ChangedRow | null
}

/** A row of any schema. */
export interface ChangedRow {
  text(name: string): string
  toObject(): Readonly<Record<string, unknown>>
}

/** Takes the changes of one file in the order of its rows. */
export interface ChangeLog {
  add(changes: readonly StateChange[]): Promise<void>
  /** Makes last what was added. @returns the log's length */
  flush(): Promise<number>
  close(): Promise<void>
}

/** Takes the changes of the state, in the order in which the rows of a file made them. */
export interface ChangeSink {
  /**
   * Called before the rows are committed: after a crash some changes may come once more, none is
   * left out.
   */
  write(changes: readonly StateChange[]): void | Promise<void>
}

/** Keeps no position: what comes once more is the sink's business. */
export class SinkLog implements ChangeLog {
  readonly #sink: ChangeSink
  /** Of the rows that wait for their commit: no more memory than they take. */
  #changes: StateChange[] = []

  constructor(sink: ChangeSink) {
    this.#sink = sink
  }

  async add(changes: readonly StateChange[]): Promise<void> {
    for (const change of changes) this.#changes.push(change)
  }

  async flush(): Promise<number> {
    const changes = this.#changes
    this.#changes = []
    if (changes.length > 0) await this.#sink.write(changes)
    return 0
  }

  async close(): Promise<void> {}
}

export class ChangeFile implements ChangeLog {
  readonly #file: DurableFile
  #length: number
  #isSynced = true

  private constructor(file: DurableFile, length: number) {
    this.#file = file
    this.#length = length
  }

  /** @param length what the state knows of; the rest is cut off */
  static async open(files: DurableFiles, path: string, length: number): Promise<ChangeFile> {
    const file = await files.edit(path)
    try {
      const found = await file.size()
      if (found < length)
        throw stateIo(path, 'read', `${length} bytes were written, ${found} are there`)
      await file.truncate(length)
      return new ChangeFile(file, length)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async add(changes: readonly StateChange[]): Promise<void> {
    const bytes = Buffer.from(changes.map(changeLine).join(''))
    this.#isSynced = false
    await this.#file.write(this.#length, bytes)
    this.#length += bytes.length
  }

  async flush(): Promise<number> {
    if (!this.#isSynced) await this.#file.sync()
    this.#isSynced = true
    return this.#length
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** A change as one line of JSON, its line end included. @throws FeedError OPTION_INVALID */
export function changeLine(change: StateChange): string {
  const { part, kind, id, at, file, row } = anObject('change', change)
  if (!(at instanceof Date) || Number.isNaN(at.getTime()))
    throw optionInvalid('change.at', 'a Date', at)
  return `${JSON.stringify({ part, kind, id, at: at.toISOString(), file: fileIdKey(file), row: row?.toObject() ?? null })}\n`
}
