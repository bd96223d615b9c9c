// The heads of rows as columns: they wait for the merge in a temporary table, and stand before the
// cells of rows in their own.

import { type ColumnData, columnData } from '../../engine/index'
import {
  type ArrivingFile,
  type HeadName,
  headType,
  ownHeads,
  type RowTable,
  type RowWriter,
  type SqlWords,
  type TargetRows,
  waitingColumns,
  waitingTable,
} from '../../sync/index'
import { ChunkInserter } from './chunk-inserter'
import type { Database } from './database'

/** The types of vectors by the types of heads. */
const VECTORS = {
  name: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  bigint: 'BIGINT',
} as const

export class WaitingHeads implements RowWriter {
  readonly #table: RowTable
  readonly #inserter: ChunkInserter

  private constructor(table: RowTable, inserter: ChunkInserter) {
    this.#table = table
    this.#inserter = inserter
  }

  static async open(database: Database, words: SqlWords, table: RowTable): Promise<WaitingHeads> {
    const waiting = waitingTable(words, table)
    const columns = waitingColumns(table).map(([name, type]) => [name, VECTORS[type]] as const)
    await database.run(
      `CREATE OR REPLACE TEMP TABLE ${waiting} (${columns.map(column => column.join(' ')).join(', ')})`,
    )
    return new WaitingHeads(table, await ChunkInserter.open(database, waiting, columns))
  }

  /** @throws FeedError STATE_IO */
  async add(rows: TargetRows, file: ArrivingFile, first: number): Promise<void> {
    const { length } = rows
    const removed = Array.from({ length }, (_, n) => rows.isRemoval(n))
    const columns = [
      keyColumn(rows),
      columnData({ kind: 'boolean' }, removed),
      int64(length, n => first + n),
      ...headColumns(this.#table, rows, file),
    ]
    await this.#inserter.add(columns, length)
  }

  close(): Promise<void> {
    return this.#inserter.close()
  }

  abort(): Promise<void> {
    return this.#inserter.settled()
  }
}

/** The heads of {@link headColumns}, with the types of their vectors. */
export function headVectors(table: RowTable) {
  return ownHeads(table).map(name => [name, VECTORS[headType(name)]] as const)
}

/** The heads of rows that differ from row to row or from file to file. */
export function headColumns(
  table: RowTable,
  { heads, generatedMs, length }: TargetRows,
  { sequence, rank = '' }: ArrivingFile,
): ColumnData[] {
  const values: { readonly [N in HeadName]?: (n: number) => number } = {
    file: () => sequence,
    time_ms: n => heads.timeMs[n]!,
    generated_ms: () => generatedMs,
    checksum: n => heads.checksum[n]!,
    file_row: n => heads.row[n]!,
  }
  return ownHeads(table).map(name => {
    const value = values[name]
    return value === undefined ? sameText(length, rank) : int64(length, value)
  })
}

const NOT_NULL = { nullCount: 0, validity: undefined, children: [] } as const
const TWO_32 = 2 ** 32

function int64(length: number, value: (n: number) => number): ColumnData {
  const values = new BigInt64Array(length)
  const words = new Uint32Array(values.buffer)
  for (let n = 0; n < length; n++) {
    const of = value(n)
    words[2 * n] = of
    words[2 * n + 1] = Math.floor(of / TWO_32)
  }
  return { ...NOT_NULL, type: { kind: 'int64' }, length, offsets: undefined, values }
}

/** The column of the keys, in memory of its own. */
function keyColumn({ heads: { keys, keyEnds }, length }: TargetRows): ColumnData {
  const offsets = new Int32Array(length + 1)
  offsets.set(keyEnds.subarray(0, length), 1)
  return textColumn(offsets, keys.slice(0, offsets[length]))
}

function sameText(length: number, text: string): ColumnData {
  const bytes = Buffer.from(text)
  const offsets = Int32Array.from({ length: length + 1 }, (_, n) => n * bytes.length)
  return textColumn(offsets, Buffer.alloc(bytes.length * length, bytes))
}

function textColumn(offsets: Int32Array, values: Uint8Array): ColumnData {
  return { ...NOT_NULL, type: { kind: 'utf8' }, length: offsets.length - 1, offsets, values }
}
