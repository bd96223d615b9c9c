// Makes one run of several: the newest row of each key, and of a feed of one's own those that a late
// full file may leave. Removals stay as long as an older row may arrive.

import type { Columns, FeedSchema } from '../../engine/index'
import type { BlockSource } from './block-lines'
import { type Floor, type Kept, mergeRuns, type SequencedRun } from './merge-runs'
import { keyAlone, REMOVED, type RowHeads } from './row-heads'
import type { RunWriter } from './run-writer'

export interface Compaction {
  readonly runs: readonly SequencedRun[]
  readonly floors: readonly Floor[]
  readonly schema: FeedSchema<Columns>
  /**
   * Removals from before this time are left out: no older row arrives or is in another run. Default:
   * all removals stay.
   */
  readonly forgottenMs?: number
  /** Default: the rows that may stand once. */
  readonly keeps?: Kept
  /** Ends the merge with its reason. */
  readonly signal?: AbortSignal | undefined
}

const NO_BYTES = Buffer.alloc(0)

export async function compactRuns(
  {
    runs,
    floors,
    schema,
    forgottenMs = Number.NEGATIVE_INFINITY,
    keeps = 'lasting',
    signal,
  }: Compaction,
  writer: RunWriter,
): Promise<void> {
  // An origin without a row is not written: a key that changes each hour would keep one for each.
  const numbers = new Map<BlockSource, number[]>(runs.map(({ run }) => [run, []]))
  for await (const parts of mergeRuns(runs, floors, true, keeps)) {
    signal?.throwIfAborted()
    for (const { block, from, to, removal } of parts) {
      const { heads, run } = block
      const origins = numbers.get(run)!
      for (let n = from; n < to; n++) {
        const number = heads.origin[n]! & ~REMOVED
        if (removal !== undefined) {
          const { timeMs, generatedMs } = removal.version
          if (removal.floor.byFile || timeMs < forgottenMs) continue
          const record = run.origins.record(number)
          const file = { ...record.file, lastModified: generatedMs }
          const removed = (writer.originOf({ ...record, file }) | REMOVED) >>> 0
          await writer.add(headAt(heads, n, timeMs), 0, removed, NO_BYTES, 0, 0)
          continue
        }
        if (block.isRemoved(n) && heads.timeMs[n]! < forgottenMs) continue
        const origin = (origins[number] ??= writer.originOf(run.origins.record(number)))
        if (heads.origin[n]! >= REMOVED) {
          await writer.add(heads, n, (origin | REMOVED) >>> 0, NO_BYTES, 0, 0)
        } else {
          const lines = block.read ?? (await block.lines())
          const bytes = lines.bytes(n, schema)
          const waits = writer.add(heads, n, origin, bytes, 0, bytes.length)
          if (waits !== undefined) await waits
        }
      }
    }
  }
}

/** Returns one head with another time, and no content. */
function headAt(heads: RowHeads, n: number, timeMs: number): RowHeads {
  return {
    ...keyAlone(heads, n),
    timeMs: Float64Array.of(timeMs),
    byteOffset: heads.byteOffset.slice(n, n + 1),
    checksum: Uint32Array.of(0),
    origin: heads.origin.slice(n, n + 1),
    row: heads.row.slice(n, n + 1),
    line: heads.line.slice(n, n + 1),
  }
}
