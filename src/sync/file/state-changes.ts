// The changes that a merge made to the state, as change logs and sinks take them.

import type { CategoryChange } from '../folder/category-state'
import type { StateChange } from '../folder/change-log'
import type { LedgerEntry } from '../folder/ledger'

type EffectiveChange = CategoryChange & Pick<StateChange, 'kind'>

/** Leaves out the changes without effect on the state. */
export function stateChanges(
  changes: readonly CategoryChange[],
  { id: file, changeRows }: Pick<LedgerEntry, 'id' | 'changeRows'>,
): StateChange[] {
  return changes.filter(isEffective).map(({ part, kind, itemId: id, version, row, before }) => {
    const after = { part, kind, id, at: new Date(version.timeMs), file, row }
    return changeRows === 'both' ? { ...after, before } : after
  })
}

function isEffective(change: CategoryChange): change is EffectiveChange {
  return change.kind === 'inserted' || change.kind === 'updated' || change.kind === 'deleted'
}
