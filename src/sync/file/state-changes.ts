// The changes that a merge made to the state, as change logs and sinks take them.

import type { Columns, JsonBuffer, Row } from '../../engine/index'
import { objectWithInvalid, writeRowJson } from '../../engine/index'
import type { CategoryChange } from '../folder/category-state'
import type { ChangedRow, StateChange } from '../folder/change-log'
import type { LedgerEntry } from '../folder/ledger'

type EffectiveChange = CategoryChange & Pick<StateChange, 'kind'>

/** Leaves out the changes without effect on the state. */
export function stateChanges(
  changes: readonly CategoryChange[],
  { id: file, changeRows }: Pick<LedgerEntry, 'id' | 'changeRows'>,
): StateChange[] {
  return changes.filter(isEffective).map(({ part, kind, itemId: id, version, row, before }) => {
    const after = { part, kind, id, at: new Date(version.timeMs), file, row: changedRow(row) }
    return changeRows === 'both' ? { ...after, before: before && changedRow(before) } : after
  })
}

function changedRow(row: Row<Columns> | null): ChangedRow | null {
  return row === null ? null : new KeptRow(row)
}

/** A row of the state, in which a bad cell fails nobody. */
class KeptRow implements ChangedRow {
  readonly #row: Row<Columns>

  constructor(row: Row<Columns>) {
    this.#row = row
  }

  text(name: string): string {
    return this.#row.text(name)
  }

  toObject(): Readonly<Record<string, unknown>> {
    return objectWithInvalid(this.#row)
  }

  writeJson(out: JsonBuffer): void {
    writeRowJson(this.#row, out)
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return this.toObject()
  }
}

function isEffective(change: CategoryChange): change is EffectiveChange {
  return change.kind === 'inserted' || change.kind === 'updated' || change.kind === 'deleted'
}
