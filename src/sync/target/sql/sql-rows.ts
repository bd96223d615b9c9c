// Reads the files of a merge for a database: first for the heads of their rows, then for the rows
// that stand.

import { orUndo } from '../../../engine/index'
import type { Category } from '../../file-id'
import type { TargetFile, TargetRows } from '../target'
import type { ArrivingFile, RowWriter, SqlConnection, SqlWords } from './sql-store'
import { fileRankOf, type RowTable } from './sql-tables'

/** What the heads of a file have said. */
export interface GatheredFile {
  readonly rows: number
  readonly removals: number
  /** Rows that the database cannot have, because their keys are too long. */
  readonly refused: number
}

/** The files of a merge. */
export interface SqlFiles {
  readonly table: RowTable
  readonly category: Category
  readonly files: readonly TargetFile[]
  /** The number of the first file. */
  readonly sequence: number
}

/** Brings the heads of all rows to where they wait for the merge. */
export async function gatherHeads(
  words: SqlWords,
  connection: SqlConnection,
  files: SqlFiles,
): Promise<readonly GatheredFile[]> {
  return writing(await connection.waiting(files.table), async writer => {
    const all: GatheredFile[] = []
    for (const { file, arriving } of arrivingFiles(files)) {
      const found = { rows: 0, removals: 0, refused: 0 }
      for await (const arrived of file.rows()) {
        const rows = possible(words, arrived)
        await writer.add(rows, arriving, found.rows + found.removals)
        const removals = removalsIn(rows)
        found.removals += removals
        found.rows += rows.length - removals
        found.refused += arrived.length - rows.length
      }
      all.push(found)
    }
    return all
  })
}

/** Brings the rows that stand into their table. @param losers the places of the others, by file */
export async function writeRows(
  words: SqlWords,
  connection: SqlConnection,
  files: SqlFiles,
  losers: ReadonlyMap<number, Float64Array>,
): Promise<void> {
  await writing(await connection.rows(files.table, files.category), async writer => {
    for (const { file, arriving } of arrivingFiles(files)) {
      const lost = losers.get(arriving.sequence) ?? []
      let place = 0
      let next = 0
      for await (const arrived of file.rows()) {
        const rows = possible(words, arrived)
        const standing = rows.select(k => {
          const isLost = lost[next] === place + k
          if (isLost) next++
          return !isLost && !rows.isRemoval(k)
        })
        await writer.add(standing, arriving, place)
        place += rows.length
      }
    }
  })
}

function arrivingFiles({ files, sequence }: Pick<SqlFiles, 'files' | 'sequence'>) {
  return files.map((file, n) => {
    const arriving: ArrivingFile = { sequence: sequence + n, rank: fileRankOf(file.id) }
    return { file, arriving }
  })
}

async function writing<T>(writer: RowWriter, write: (writer: RowWriter) => Promise<T>): Promise<T> {
  const written = async () => {
    const result = await write(writer)
    await writer.close()
    return result
  }
  return orUndo(written, () => writer.abort())
}

/** The rows whose keys the database can have. */
function possible({ maxKeyBytes }: SqlWords, rows: TargetRows): TargetRows {
  return maxKeyBytes === undefined ? rows : rows.select(n => rows.keyBytes(n) <= maxKeyBytes)
}

function removalsIn(rows: TargetRows): number {
  let removals = 0
  for (let n = 0; n < rows.length; n++) if (rows.isRemoval(n)) removals++
  return removals
}
