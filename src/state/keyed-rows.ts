// The rows of a batch of a file with the key, the version and the checksum of each. A file has
// millions of rows, so these stand column by column (runs/row-heads.ts), and text and objects are
// made of them only where a caller asks.

import {
  type Columns,
  crc32,
  type FeedError,
  generationOf,
  type RegisterHead,
  type Row,
  type RowBatch,
  type Version,
  versionOfRow,
  versionsOf,
} from '../engine/index'
import { isRowError, KEY_LIMIT_BYTES, keyOfRow } from './row-key'
import {
  appendHead,
  appendKey,
  keyOf,
  keyStart,
  newHeads,
  REMOVED,
  type RowHeads,
} from './runs/row-heads'

/** Room for a key; most have fewer bytes. */
const KEY_BYTES = 32

/** What the key and the version of a row are. */
export interface KeyRules {
  /** The column of the key. */
  readonly key: string
  /**
   * Default: the version of a row of the documented feeds.
   * @param key the column of the key
   * @throws FeedError VERSION_MISSING, CELL_INVALID, which are about the row
   */
  versionOf?(row: Row<Columns>, key: string): Version
  /**
   * The version of a row whose key alone can be read. Default: undefined, where the row is left out.
   */
  versionless?: ((row: Row<Columns>) => Version | undefined) | undefined
}

/** Good rows of a file, in its order. They are valid until the next ones are asked for. */
export class KeyedRows {
  readonly batch: RowBatch<Columns>
  /** @internal The head at `n` is that of the row `n`; its origin is 0 with the mark REMOVED. */
  readonly heads: RowHeads
  /** Part of the version of all rows: see {@link Version}. */
  readonly generatedMs: number

  /** @internal */
  constructor(batch: RowBatch<Columns>, heads: RowHeads) {
    this.batch = batch
    this.heads = heads
    this.generatedMs = generationOf(batch.file) ?? 0
  }

  get length(): number {
    return this.batch.length
  }

  /** The key of the row `n` of the batch: `itemId`, or `itemGroupId` of an item group. */
  key(n: number): string {
    return keyOf(this.heads, n)
  }

  /** @internal The number of bytes of the key of the row `n`. */
  keyBytes(n: number): number {
    return this.heads.keyEnds[n]! - keyStart(this.heads, n)
  }

  /** True where the row `n` removes its item. */
  isRemoval(n: number): boolean {
    return this.heads.origin[n]! >= REMOVED
  }

  /** The version of the row `n` with the checksum of its content. */
  head(n: number): RegisterHead {
    const { timeMs, checksum } = this.heads
    const version = {
      timeMs: timeMs[n]!,
      removed: this.isRemoval(n),
      generatedMs: this.generatedMs,
    }
    return { version, checksum: checksum[n]! }
  }

  /** Returns the rows `n` for which `keep` is true, or these where that is all of them. */
  select(keep: (n: number) => boolean): KeyedRows {
    const stays = Array.from({ length: this.length }, (_, n) => keep(n))
    if (!stays.includes(false)) return this
    const heads = newHeads(this.length, KEY_BYTES * this.length)
    let n = 0
    let rows = 0
    const batch = this.batch.select(() => {
      if (stays[n]) appendHead(heads, rows++, this.heads, n)
      return stays[n++]!
    })
    return new KeyedRows(batch, heads)
  }
}

/**
 * Returns the rows of a batch that have a key and a version.
 * @param leaveOut takes each other row with its error, also one that is kept without a version
 * @param heads memory of the heads, which the rows of one batch after the other may use
 */
export function keyedRows(
  batch: RowBatch<Columns>,
  { key: name, versionOf, versionless }: KeyRules,
  leaveOut: (row: Row<Columns>, error: FeedError) => void,
  heads: RowHeads = newHeads(0, 0),
): KeyedRows {
  const { selection, cells, bytes, header, length } = batch
  const versions = versionOf === undefined ? versionsOf(batch) : undefined
  const column = header.indexes.get(name) ?? header.columns.length
  const isInFile = column < header.columns.length
  const leftOut = new Set<number>()
  let at = 0
  for (let n = 0; n < length; n++) {
    const slot = selection === undefined ? n : selection[n]!
    let timeMs = versions === undefined || !isInFile ? Number.NaN : versions.timeMs[n]!
    const from = cells.cellStart(slot, column)
    const to = cells.cellEnd(slot, column)
    const isPlain = from < to && to - from <= KEY_LIMIT_BYTES && !cells.isQuoted(from)
    // The text of a key that does not stand in the file as it is.
    let key = ''
    let isRemoval: boolean
    if (isPlain && !Number.isNaN(timeMs)) isRemoval = versions!.isRemoval(slot)
    else {
      const row = batch.row(n)
      let version: Version | undefined
      try {
        if (!isPlain) key = keyOfRow(row, name)
        version = versionOf?.(row, name) ?? versionOfRow(row, row.ownText(name))
      } catch (error) {
        if (!isRowError(error)) throw error
        leaveOut(row, error)
        version = isPlain || key !== '' ? versionless?.(row) : undefined
      }
      if (version === undefined) {
        leftOut.add(slot)
        continue
      }
      timeMs = version.timeMs
      isRemoval = version.removed
    }
    if (isPlain) appendKey(heads, at, bytes, from, to)
    else appendText(heads, at, key)
    heads.timeMs[at] = timeMs
    const { row, line, byteOffset } = batch.positionOf(slot)
    heads.checksum[at] = isRemoval ? 0 : crc32(batch.bytesOf(slot))
    heads.origin[at] = isRemoval ? REMOVED : 0
    heads.row[at] = row
    heads.line[at] = line
    heads.byteOffset[at++] = byteOffset
  }
  const good = leftOut.size === 0 ? batch : batch.select(({ slot }) => !leftOut.has(slot))
  return new KeyedRows(good, heads)
}

function appendText(heads: RowHeads, at: number, key: string): void {
  const bytes = Buffer.from(key)
  appendKey(heads, at, bytes, 0, bytes.length)
}
