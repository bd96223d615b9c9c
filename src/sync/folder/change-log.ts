// The change log of one file: the changes that the file made to the state, as lines of JSON. The
// lines are synced before their rows are committed together with the length of the log
// (log-file.ts).

import type { ChangeKind, DurableFiles } from '../../engine/index'
import { anObject, JsonBuffer, optionInvalid } from '../../engine/index'
import { type FileId, fileIdKey } from '../file-id'
import { LogFile } from './log-file'

/** One change of the merged state. */
export interface StateChange {
  /** An item's row, its priority, or the record of a group. */
  readonly part: 'item' | 'priority' | 'group'
  /** What happened to the row. */
  readonly kind: Extract<ChangeKind, 'inserted' | 'updated' | 'deleted'>
  /** The item's identifier, or the group's. */
  readonly id: string
  /** The time from which on the change holds. */
  readonly at: Date
  /** The file that made the change. */
  readonly file: FileId
  /** The row that is kept now; null for a removed one. */
  readonly row: ChangedRow | null
  /**
   * The row that was kept before; null where there was none. Undefined without `changeRows: 'both'`.
   */
  readonly before?: ChangedRow | null | undefined
}

/** A row of any schema. */
export interface ChangedRow {
  text(name: string): string
  /**
   * The cells with their types. A cell that is not of its column's type is null here, or an empty
   * list, and `invalid` has the texts of these cells by column.
   */
  toObject(): Readonly<Record<string, unknown>>
  /** @internal Writes the JSON of the object. */
  writeJson?(out: JsonBuffer): void
}

/** Takes the changes of one file in the order of its rows. */
export interface ChangeLog {
  /** True where the log reads the rows of changes after the call that took them. */
  readonly keepsRows: boolean
  add(changes: readonly StateChange[]): Promise<void>
  /**
   * Makes durable what was added.
   * @returns the length of the log in bytes
   */
  flush(): Promise<number>
  close(): Promise<void>
}

/** Takes the changes of the state, in the order in which the rows of a file made them. */
export interface ChangeSink {
  /**
   * Takes changes before their rows are committed. After a crash some changes may come again; none
   * is left out.
   */
  write(changes: readonly StateChange[]): void | Promise<void>
}

/** A log over a sink. It has no length, so the sink must expect repeated changes after a crash. */
export class SinkLog implements ChangeLog {
  readonly keepsRows = true
  readonly #sink: ChangeSink
  /** The changes of the rows that wait for their commit. */
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
  readonly keepsRows = false
  readonly #log: LogFile
  readonly #lines = new JsonBuffer()

  private constructor(log: LogFile) {
    this.#log = log
  }

  /** @param length committed bytes of the log; the rest is cut off */
  static async open(files: DurableFiles, path: string, length: number): Promise<ChangeFile> {
    return new ChangeFile(await LogFile.open(files, path, length))
  }

  add(changes: readonly StateChange[]): Promise<void> {
    this.#lines.cutTo(0)
    for (const change of changes) writeChange(change, this.#lines)
    return this.#log.add(this.#lines.view())
  }

  flush(): Promise<number> {
    return this.#log.flush()
  }

  close(): Promise<void> {
    return this.#log.close()
  }
}

/** Returns a change as one line of JSON, its line end included. @throws FeedError OPTION_INVALID */
export function changeLine(change: StateChange): string {
  const line = new JsonBuffer(0)
  writeChange(change, line)
  return line.view().toString()
}

function writeChange(change: StateChange, out: JsonBuffer): void {
  const { part, kind, id, at, file, row, before } = checkedChange(change)
  const head = JSON.stringify({ part, kind, id, at: at.toISOString(), file: fileIdKey(file) })
  out.json(`${head.slice(0, -1)},"row":`)
  writeChangedRow(row, out)
  if (before !== undefined) {
    out.json(',"before":')
    writeChangedRow(before, out)
  }
  out.json('}\n')
}

/** Writes a row of a change as JSON. */
export function writeChangedRow(row: ChangedRow | null, out: JsonBuffer): void {
  if (row?.writeJson !== undefined) row.writeJson(out)
  else out.json(JSON.stringify(row?.toObject() ?? null))
}

/** @throws FeedError OPTION_INVALID */
export function checkedChange(change: StateChange): StateChange {
  const { at } = anObject('change', change)
  if (at instanceof Date && !Number.isNaN(at.getTime())) return change
  throw optionInvalid('change.at', 'a Date', at)
}
