// The laws of a target, with the target in memory.
// Long: it synchronises several worlds with faults.

import { objectWithInvalid } from '../../../src/engine/codec/bad-cells'
import { categoryKey } from '../../../src/sync/file-id'
import { MemoryPlace, memoryTarget } from './memory-target'
import { type PlainItem, type PlainRow, targetLaws } from './target-laws'

targetLaws({
  name: 'memory',
  seeds: [0],
  newPlace: async () => {
    const place = new MemoryPlace()
    return {
      target: () => memoryTarget(place),
      items: async category => {
        const rows = place.contents.get(categoryKey(category))?.rows ?? new Map()
        const rowOf = (key: string): PlainRow | null => {
          const row = rows.get(key)?.row
          return row ? JSON.parse(JSON.stringify(objectWithInvalid(row))) : null
        }
        return [...rows.keys()]
          .filter(key => key.startsWith('item:') && rowOf(key) !== null)
          .sort()
          .map((key): PlainItem => {
            const row = rowOf(key)!
            return {
              row,
              priority: rowOf(`priority:${key.slice('item:'.length)}`),
              group: row.primaryItemGroupId ? rowOf(`group:${row.primaryItemGroupId}`) : null,
            }
          })
      },
      drop: async () => {},
    }
  },
})
