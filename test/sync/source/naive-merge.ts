// The naive merge of the files of a feed of one's own, by the sentence of the guide alone: it knows
// neither runs nor floors nor plans, and sorts all rows of all files at once.

import { lineOf, type SmallFile, type SmallRow } from './small-feed'

export interface NaiveFile extends SmallFile {
  readonly id: string
}

/** The parts of the sentence, in its order: the first that differs decides. */
type Rank = readonly (number | readonly number[])[]

/** Returns the lines of the rows that stand, in the order of their keys. */
export function naiveMerge(files: readonly NaiveFile[], hasVersion: boolean): string[] {
  return naiveRows(files, hasVersion).map(({ row }) => lineOf({ ...row, spelling: undefined }))
}

/** Returns the rows that stand of files whose bad rows are as the files have them. */
export function naiveRows(files: readonly NaiveFile[], hasVersion: boolean) {
  const fullMinutes = files.filter(({ kind }) => kind === 'full').map(({ minute }) => minute)
  const newestFull = Math.max(Number.NEGATIVE_INFINITY, ...fullMinutes)
  const ranked = files
    .filter(({ minute }) => minute >= newestFull)
    .flatMap(file => file.rows.map((row, at) => ({ row, file, at })))
    .filter(({ row, file }) => row.fault !== 'cell' && (file.kind === 'full' || !isUnranked(row)))
    .map(({ row, file, at }) => ({ row, rank: rankOf(file, row, at) }))
    .sort((a, b) => compare(a.rank, b.rank))
  const last = new Map(ranked.map(each => [each.row.sku, each]))
  return [...last.values()]
    .filter(({ row }) => !row.gone || row.fault === 'mark')
    .sort((a, b) => compare([codePoints(a.row.sku)], [codePoints(b.row.sku)]))

  function rankOf({ minute, kind, id }: NaiveFile, row: SmallRow, at: number): Rank {
    const version = isUnranked(row) ? Number.MIN_SAFE_INTEGER : hasVersion ? row.revision : 0
    return [version, minute, kind === 'full' ? 0 : 1, codePoints(id), at]
  }

  /** True where the version or the mark of a row cannot be read. */
  function isUnranked({ fault }: SmallRow): boolean {
    return fault === 'mark' || (hasVersion && fault === 'version')
  }
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, character => character.codePointAt(0)!)
}

function compare(a: Rank, b: Rank): number {
  for (let n = 0; n < Math.max(a.length, b.length); n++) {
    const [x = -1, y = -1] = [a[n], b[n]]
    const difference =
      typeof x === 'number' && typeof y === 'number' ? x - y : compare(x as Rank, y as Rank)
    if (difference !== 0) return difference
  }
  return 0
}
