// A change of the state in the shape of Debezium's change events, for consumers that read those.

import { JsonBuffer, optionInvalid } from '../../engine/index'
import { fileIdKey } from '../file-id'
import { checkedChange, type StateChange, writeChangedRow } from './change-log'

const OPERATIONS = { inserted: 'c', updated: 'u', deleted: 'd' } as const

/**
 * Returns a change as one line of JSON in the shape of the payload of a Debezium change event, its
 * line end included: `before`, `after`, `source`, `op` (`c`, `u` or `d`) and `ts_ms`. `source` has
 * `connector` (`feedmill`), `name` (the marketplace), `db` (the category), `table` (`item`,
 * `priority` or `group`), `key` (the identifier), `file` (as `fileIdKey`), `snapshot` (`false`) and `ts_ms` (the
 * time from which on the change holds).
 * @param processedAt the time of the event itself, which is `ts_ms`; the present time by default
 * @throws FeedError OPTION_INVALID, also for a change without `before`, which a run gives with
 * `changeRows: 'both'`
 * @example
 * ```ts
 * import { debeziumLine } from 'feedmill/sync'
 *
 * const file = { feed: 'item_snapshot', marketplace: 'MKT_US', categoryId: '220', hour: '2026-03-01T05:00:00.000Z' } as const
 * const before = { text: () => 'old', toObject: () => ({ title: 'old' }) }
 * const at = new Date('2026-03-01T05:30:00Z')
 * const line = debeziumLine({ part: 'item', kind: 'deleted', id: 'v1|1|0', at, file, row: null, before })
 * const { op, source, after } = JSON.parse(line)
 * console.log(op, source.key, after)
 * // => d v1|1|0 null
 * ```
 */
export function debeziumLine(change: StateChange, processedAt = new Date()): string {
  const { part, kind, id, at, file, row, before } = checkedChange(change)
  if (before === undefined)
    throw optionInvalid('change.before', "a row or null: run with changeRows: 'both'", before)
  const { marketplace: name, categoryId: db } = file
  const source = {
    connector: 'feedmill',
    name,
    db,
    table: part,
    key: id,
    file: fileIdKey(file),
    snapshot: 'false',
    ts_ms: at.getTime(),
  }
  const rest = JSON.stringify({ source, op: OPERATIONS[kind], ts_ms: processedAt.getTime() })
  const line = new JsonBuffer(0)
  line.json('{"before":')
  writeChangedRow(before, line)
  line.json(',"after":')
  writeChangedRow(row, line)
  line.json(`,${rest.slice(1)}\n`)
  return line.view().toString()
}
