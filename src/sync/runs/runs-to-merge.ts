// Which runs of a table are merged into one. Few runs make reading fast, and the rows that newer ones
// have replaced go; but each merge reads and writes all rows of its runs.

import type { RunRecord } from './manifest'

export interface MergeSizes {
  /** The most runs that are about as large as each other. */
  readonly mostRuns: number
  /**
   * The largest runs of the first size have so many bytes of lines, and those of each next size 16
   * times as many.
   */
  readonly firstSize: number
}

export const MERGE_SIZES: MergeSizes = { mostRuns: 32, firstSize: 1 << 26 }
/** The most runs of one size where the synchronisation has nothing else to do. */
const MOST_IN_PAUSE = 3
/** In a pause the runs beside the largest one keep at most this share of its bytes. */
const MOST_BESIDE = 0.3

/** Returns the runs to merge after a file; an empty array where there is nothing to merge. */
export function toMerge(
  runs: readonly RunRecord[],
  { mostRuns, firstSize }: MergeSizes,
): readonly RunRecord[] {
  const alike = alikeOf(runs, firstSize)
  return alike.length > mostRuns ? alike : []
}

/** Returns the runs to merge in a pause: all of them, where many of their rows may be replaced. */
export function toMergeInPause(
  runs: readonly RunRecord[],
  { firstSize }: MergeSizes,
): readonly RunRecord[] {
  if (runs.length < 2) return []
  const bytes = runs.map(({ rawBytes }) => rawBytes)
  const largest = Math.max(...bytes)
  const beside = bytes.reduce((sum, each) => sum + each, 0) - largest
  if (beside > MOST_BESIDE * largest) return runs
  const alike = alikeOf(runs, firstSize)
  return alike.length > MOST_IN_PAUSE ? alike : []
}

/** Returns the largest group of runs of one size. */
function alikeOf(runs: readonly RunRecord[], firstSize: number): readonly RunRecord[] {
  const groups = new Map<number, RunRecord[]>()
  for (const run of runs) {
    const size = Math.max(0, Math.ceil(Math.log2(run.rawBytes / firstSize) / 4))
    groups.set(size, [...(groups.get(size) ?? []), run])
  }
  return [...groups.values()].sort((a, b) => b.length - a.length)[0] ?? []
}
