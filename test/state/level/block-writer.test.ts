import { expect, test } from 'vitest'
import { BLOCK_BYTES, BlockWriter } from '../../../src/state/level/block-writer'
import type { LevelDatabase } from '../../../src/state/level/level-database'
import type { ValueLog } from '../../../src/state/level/value-log'

test('fault 97: keys count towards the size of a block, so that long keys with short values do not exceed it', async () => {
  const batches: number[] = []
  const index: Pick<LevelDatabase, 'write'> = {
    write: async entries => {
      let bytes = 0
      entries(key => {
        bytes += key.length
      })
      batches.push(bytes)
    },
  }
  const log: Pick<ValueLog, 'end' | 'claim' | 'write' | 'sync'> = {
    end: async () => ({ segment: 1, offset: 0 }),
    claim: () => 0,
    write: async () => {},
    sync: async () => {},
  }
  const writer = new BlockWriter({
    index: index as LevelDatabase,
    log: log as ValueLog,
    durable: false,
    onArrived: async () => {},
  })
  const keyBytes = 1 << 20
  for (let n = 0; n < 20; n++)
    await writer.add([{ key: String(n).padEnd(keyBytes, 'k'), value: Uint8Array.of(n) }])
  await writer.flush()
  expect(Math.max(...batches)).toBeLessThanOrEqual(BLOCK_BYTES + keyBytes)
  expect(batches.reduce((sum, bytes) => sum + bytes)).toBe(20 * keyBytes)
})
