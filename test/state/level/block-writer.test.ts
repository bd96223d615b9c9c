import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BLOCK_BYTES, BlockWriter } from '../../../src/state/level/block-writer'
import type { LevelDatabase } from '../../../src/state/level/level-database'
import type { ValueLog } from '../../../src/state/level/value-log'

interface Written {
  /** The keys of each batch, in the order of writing. */
  readonly batches: string[][]
  readonly writer: BlockWriter
}

/** A writer whose disk takes its time. */
function newWriter(): Written {
  const batches: string[][] = []
  const index: Pick<LevelDatabase, 'write'> = {
    write: async entries => {
      const keys: string[] = []
      entries(key => keys.push(key))
      await setImmediate()
      batches.push(keys)
    },
  }
  const log: Pick<ValueLog, 'end' | 'claim' | 'write' | 'sync'> = {
    end: async () => ({ segment: 1, offset: 0 }),
    claim: () => 0,
    write: () => setImmediate(),
    sync: async () => {},
  }
  const parts = { index: index as LevelDatabase, log: log as ValueLog }
  const onArrived = () => setImmediate()
  return { batches, writer: new BlockWriter({ ...parts, durable: true, onArrived }) }
}

const put = (key: string) => [{ key, value: Buffer.alloc(100) }]

test('blocks and single writes that several callers give at once are all written, in order', async () => {
  const { batches, writer } = newWriter()
  const blockOf = (key: string) => {
    const block = writer.newBlock()
    block.add(put(key))
    return block
  }
  await Promise.all([
    writer.add(put('1')),
    writer.take(blockOf('2')),
    writer.take(blockOf('3')),
    writer.add(put('4')),
    writer.add(put('5')),
    writer.take(blockOf('6')),
    writer.flush(),
  ])
  expect(batches).toEqual([['1'], ['2'], ['3'], ['4', '5'], ['6']])
})

test('a block can be read from the end of its call until it is on the disk', async () => {
  const { batches, writer } = newWriter()
  const has = (key: string) => writer.blocks.some(block => block?.valueOf(key) !== undefined)
  const block = writer.newBlock()
  block.add(put('a'))
  await writer.take(block)
  for (let turn = 0; batches.length === 0; turn++) {
    expect([turn, has('a')]).toEqual([turn, true])
    await setImmediate()
  }
  await writer.flush()
  expect(has('a')).toBe(false)
})

test('fault 97: keys count towards the size of a block, so that long keys with short values do not exceed it', async () => {
  const { batches, writer } = newWriter()
  const keyBytes = 1 << 20
  for (let n = 0; n < 20; n++)
    await writer.add([{ key: String(n).padEnd(keyBytes, 'k'), value: Uint8Array.of(n) }])
  await writer.flush()
  const bytesOf = (keys: string[]) => keys.reduce((sum, key) => sum + key.length, 0)
  expect(Math.max(...batches.map(bytesOf))).toBeLessThanOrEqual(BLOCK_BYTES + keyBytes)
  expect(bytesOf(batches.flat())).toBe(20 * keyBytes)
})
