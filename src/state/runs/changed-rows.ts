// The changes that arrived files make to the rows that stand, with their rows. Lines are read of
// the rows that changed only.

import type { ChangeKind, Columns, FeedSchema, Row, Version } from '../../engine/index'
import { type ArrivedRuns, judgeRuns } from './judge-runs'
import { type Standing, standingAt } from './merge-runs'
import { keyOf } from './row-heads'
import type { Block } from './run-reader'
import { rowOf } from './run-table'

/** The most changes that are told at once, and the bytes of their rows, about. */
const MOST_CHANGES = 1024
const MOST_BYTES = 1 << 22

export interface RowChange {
  readonly kind: Extract<ChangeKind, 'inserted' | 'updated' | 'deleted'>
  readonly itemId: string
  /** The version that stands now. */
  readonly version: Version
  /** The row that stands now; null for a removed one. */
  readonly row: Row<Columns> | null
  /** The row that stood before; null where there was none, undefined where it is not wanted. */
  readonly before: Row<Columns> | null | undefined
}

export interface ChangedRowsOptions {
  readonly schema: FeedSchema<Columns>
  /** True where changes have the row that stood before. */
  readonly isBeforeWanted: boolean
}

/** Rows of a change, before their lines are read. */
interface Effect extends Pick<RowChange, 'kind' | 'version'> {
  readonly block: Block
  /** The place of the row that arrived, or that a floor leaves or removes. */
  readonly n: number
  readonly stood: Standing | undefined
}

/**
 * Tells the changes of arrived rows and of their floor in the order of the keys, those of one key in
 * the order in which they were made.
 * The rows of `take` are valid until its promise settles.
 */
export async function tellChanges(
  runs: ArrivedRuns,
  { schema, isBeforeWanted }: ChangedRowsOptions,
  take: (changes: readonly RowChange[]) => Promise<void>,
): Promise<void> {
  const effects: Effect[] = []
  let bytes = 0
  const tell = async () => {
    bytes = 0
    const changes: RowChange[] = []
    for (const { kind, version, block, n, stood } of effects.splice(0)) {
      const row = kind === 'deleted' ? null : (await block.lines()).row(n, schema)
      // It keeps only its own bytes: rows of many runs stand together.
      const before = isBeforeWanted ? ((await rowOf(stood, schema))?.detach() ?? null) : undefined
      changes.push({ kind, itemId: keyOf(block.heads, n), version, row, before })
    }
    if (changes.length > 0) await take(changes)
  }
  const add = (effect: Effect) => {
    bytes += effect.block.rowBytes
    return effects.push(effect) < MOST_CHANGES && bytes < MOST_BYTES ? undefined : tell()
  }
  await judgeRuns(runs, false, (kind, block, n, stood, left) => {
    if (!isEffective(kind)) return undefined
    const { version } = left ?? standingAt(block, n)
    return add({ kind, version, block, n, stood })
  })
  await tell()
}

/** Returns false for the kind of a change without effect on what stands. */
export function isEffective(kind: ChangeKind): kind is RowChange['kind'] {
  return kind !== 'unchanged' && kind !== 'stale'
}
