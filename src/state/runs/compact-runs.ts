// Makes one run of several: the newest row of each key, and of a feed of one's own those that a late
// full file may leave. Removals stay as long as an older row may arrive.

import type { Columns, FeedSchema } from '../../engine/index'
import { type Floor, mergeRuns, type SequencedRun } from './merge-runs'
import { keyAlone, REMOVED, type RowHeads } from './row-heads'
import type { Run } from './run-reader'
import type { RunWriter } from './run-writer'

export interface Compaction {
  readonly runs: readonly SequencedRun[]
  readonly floors: readonly Floor[]
  readonly schema: FeedSchema<Columns>
  /** Removals from before this time are left out: no older row arrives or is in another run. */
  readonly forgottenMs: number
  /** Ends the merge with its reason. */
  readonly signal?: AbortSignal | undefined
}

const NO_BYTES = Buffer.alloc(0)

export async function compactRuns(
  { runs, floors, schema, forgottenMs, signal }: Compaction,
  writer: RunWriter,
): Promise<void> {
  const numbers = new Map(runs.map(({ run }) => [run, originsOf(run, writer)]))
  for await (const parts of mergeRuns(runs, floors, true, true)) {
    signal?.throwIfAborted()
    for (const { block, from, to, removal } of parts) {
      const { heads, run } = block
      const origins = numbers.get(run)!
      for (let n = from; n < to; n++) {
        const isRemoved = removal !== undefined || block.isRemoved(n)
        const number = heads.origin[n]! & ~REMOVED
        const origin = origins[number]!
        if (!isRemoved) {
          const lines = block.read ?? (await block.lines())
          const bytes = lines.bytes(n, schema)
          const waits = writer.add(heads, n, origin, bytes, 0, bytes.length)
          if (waits !== undefined) await waits
        } else if (removal === undefined) {
          if (heads.timeMs[n]! < forgottenMs) continue
          await writer.add(heads, n, (origin | REMOVED) >>> 0, NO_BYTES, 0, 0)
        } else if (!removal.floor.byFile && removal.version.timeMs >= forgottenMs) {
          const { timeMs, generatedMs } = removal.version
          const record = run.origin(number)
          const file = { ...record.file, lastModified: generatedMs }
          const removed = (writer.originOf({ ...record, file }) | REMOVED) >>> 0
          await writer.add(headAt(heads, n, timeMs), 0, removed, NO_BYTES, 0, 0)
        }
      }
    }
  }
}

/** Returns the number that each origin of a run has in another. */
function originsOf(run: Run, writer: RunWriter): number[] {
  return run.index.origins.map((_, number) => writer.originOf(run.origin(number)))
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
