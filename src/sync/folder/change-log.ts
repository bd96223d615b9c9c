// The changes that merges make to the state: what a change is, its lines of JSON, and where the
// changes of a file go, a log or a sink. The lines of a log are synced before their rows are
// committed together with its length. After a crash the log is cut to that length, and what
// followed is written again. So each line is in the log once, and none without its row.

import {
  type ChangeKind,
  type Columns,
  corruptState,
  type DurableFiles,
  is,
  objectWithInvalid,
  optionInvalid,
  orUndo,
  type Row,
  RowsJson,
  TextBuffer,
} from '../../engine/index'
import type { RowChange } from '../../state/index'
import { type FileId, fileIdKey, isOwn } from '../file-id'

/** One change of the merged state. */
export interface StateChange {
  /** An item's row, its priority, the record of a group, or a row of a feed of your own. */
  readonly part: 'item' | 'priority' | 'group' | 'row'
  /** What happened to the row. */
  readonly kind: Extract<ChangeKind, 'inserted' | 'updated' | 'deleted'>
  /** The item's identifier, the group's, or the key of the row. */
  readonly id: string
  /** The time from which on the change holds: of a feed of your own, that of the file. */
  readonly at: Date
  /** The file that made the change. */
  readonly file: FileId
  /** The row that is kept now; null for a removed one. */
  readonly row: ChangedRow | null
  /**
   * The row that was kept before; null where there was none. Undefined without
   * `changeRows: 'both'`.
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
}

/** Takes the changes of the state, those of one key in the order in which a file made them. */
export interface ChangeSink {
  /**
   * Takes changes before their rows are committed. After a crash some changes may come again; none
   * is left out.
   */
  write(changes: readonly StateChange[]): void | Promise<void>
}

/** A file that takes changes as lines of JSON. */
export type ChangeFile = Awaited<ReturnType<typeof openChangeFile>>

/**
 * Opens a log.
 * @param committed bytes of the log that belong to committed rows; the rest is cut off
 */
export async function openChangeFile(files: DurableFiles, path: string, committed: number) {
  const file = await files.edit(path)
  const cut = async () => {
    const found = await file.size()
    if (found < committed)
      throw corruptState(path, `${committed} bytes were written, ${found} are there`)
    await file.truncate(committed)
  }
  await orUndo(cut, () => file.close())
  const parts = new TextBuffer()
  const rowsJson = new RowsJson()
  const lines = new TextBuffer()
  let length = committed
  let isSynced = true
  return {
    add: async (changes: readonly StateChange[]): Promise<void> => {
      parts.cutTo(0)
      lines.cutTo(0)
      const json = jsonOfChanges(changes, rowsJson, parts)
      for (const change of changes) writeChange(change, lines, json)
      const bytes = lines.view()
      isSynced = false
      await file.write(length, bytes)
      length += bytes.length
    },
    /** Makes durable what was added, and returns the length of the log in bytes. */
    flush: async (): Promise<number> => {
      if (!isSynced) await file.sync()
      isSynced = true
      return length
    },
    close: () => file.close(),
  }
}

/** Returns a change as one line of JSON, its line end included. @throws FeedError OPTION_INVALID */
export function changeLine(change: StateChange): string {
  const line = new TextBuffer(0)
  writeChange(change, line, jsonOfChanges([checkedChange(change)]))
  return line.view().toString()
}

/** The JSON of rows of a state. */
type JsonByRow = ReadonlyMap<Row<Columns>, Uint8Array>

/** @param out has the JSON, which stays until it is cut */
function jsonOfChanges(
  changes: readonly StateChange[],
  rowsJson = new RowsJson(),
  out = new TextBuffer(0),
): JsonByRow {
  const all = changes.flatMap(({ row, before }) => [row, before])
  const rows = all.flatMap(row => (row instanceof KeptRow ? [row.row] : []))
  rowsJson.write(rows, [], out)
  const lines = out.view()
  let end = -1
  const next = () => lines.subarray(end + 1, (end = lines.indexOf(LINE_END, end + 1)))
  return new Map(rows.map(row => [row, next()]))
}

function writeChange(change: StateChange, out: TextBuffer, json: JsonByRow): void {
  const { part, kind, id, at, file, row, before } = change
  const head = JSON.stringify({ part, kind, id, at: at.toISOString(), file: fileIdKey(file) })
  out.text(`${head.slice(0, -1)},"row":`)
  writeChangedRow(row, out, json)
  if (before !== undefined) {
    out.text(',"before":')
    writeChangedRow(before, out, json)
  }
  out.text('}\n')
}

function writeChangedRow(row: ChangedRow | null, out: TextBuffer, json: JsonByRow): void {
  const known = row instanceof KeptRow ? json.get(row.row) : undefined
  if (known !== undefined) out.raw(known)
  else out.text(JSON.stringify(row?.toObject() ?? null))
}

/** @throws FeedError OPTION_INVALID */
export function checkedChange(change: StateChange): StateChange {
  is.validDate('change.at', is.anObject('change', change).at)
  return change
}

/** Returns the changes that a file makes to the rows that stand. */
export function stateChanges(
  changes: readonly (RowChange & Pick<StateChange, 'part'>)[],
  { id: file, changeRows }: { readonly id: FileId; readonly changeRows: 'after' | 'both' },
): StateChange[] {
  return changes.map(({ part, kind, itemId: id, version, row, before }) => {
    const at = new Date(isOwn(file) ? file.time : version.timeMs)
    const after = { part, kind, id, at, file, row: changedRow(row) }
    return changeRows === 'both' ? { ...after, before: before && changedRow(before) } : after
  })
}

function changedRow(row: Row<Columns> | null): ChangedRow | null {
  return row === null ? null : new KeptRow(row)
}

/** A row of the state, in which a bad cell fails nobody. */
class KeptRow implements ChangedRow {
  readonly row: Row<Columns>

  constructor(row: Row<Columns>) {
    this.row = row
  }

  text(name: string): string {
    return this.row.text(name)
  }

  toObject(): Readonly<Record<string, unknown>> {
    return objectWithInvalid(this.row)
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return this.toObject()
  }
}

const LINE_END = 0x0a
const OPERATIONS = { inserted: 'c', updated: 'u', deleted: 'd' } as const

/**
 * Returns a change as one line of JSON in the shape of the payload of a Debezium change event, its
 * line end included: `before`, `after`, `source`, `op` (`c`, `u` or `d`) and `ts_ms`. `source` has
 * `connector` (`feedmill`), `name` (the marketplace), `db` (the category), `table` (`item`,
 * `priority`, `group` or `row`), `key` (the identifier), `file` (as `fileIdKey`), `snapshot`
 * (`false`) and `ts_ms` (the time from which on the change holds).
 * @param processedAt the time of the event itself, which is `ts_ms`; the present time by default
 * @throws FeedError OPTION_INVALID, also for a change without `before`, which a run gives with
 * `changeRows: 'both'`
 * @example
 * ```ts
 * import { debeziumLine } from 'feedmill/sync'
 *
 * const file = { feed: 'item_snapshot', marketplace: 'MKT_US', categoryId: '220', hour: '2026-03-01T05:00:00.000Z' } as const
 * const before = { text: () => 'old', toObject: () => ({ title: 'old' }) }
 * const at = new Date('2026-03-01T05:30:00Z')
 * const line = debeziumLine({ part: 'item', kind: 'deleted', id: 'v1|1|0', at, file, row: null, before })
 * const { op, source, after } = JSON.parse(line)
 * console.log(op, source.key, after)
 * // => d v1|1|0 null
 * ```
 */
export function debeziumLine(change: StateChange, processedAt = new Date()): string {
  const { part, kind, id, at, file, row, before } = checkedChange(change)
  if (before === undefined)
    throw optionInvalid('change.before', "a row or null: run with changeRows: 'both'", before)
  const { marketplace: name, categoryId: db } = file
  const source = {
    connector: 'feedmill',
    name,
    db,
    table: part,
    key: id,
    file: fileIdKey(file),
    snapshot: 'false',
    ts_ms: at.getTime(),
  }
  const rest = JSON.stringify({ source, op: OPERATIONS[kind], ts_ms: processedAt.getTime() })
  const line = new TextBuffer(0)
  const json = jsonOfChanges([change])
  line.text('{"before":')
  writeChangedRow(before, line, json)
  line.text(',"after":')
  writeChangedRow(row, line, json)
  line.text(`,${rest.slice(1)}\n`)
  return line.view().toString()
}
