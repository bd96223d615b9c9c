import { describe, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { itemSchema } from '../../../src/engine/schema/feed-schemas'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import type { Stage } from '../../../src/engine/stages/stage'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { GroupJoiner } from '../../../src/state/group-joiner'
import { SnapshotMerger } from '../../../src/state/snapshot-merger'
import { batchesOf } from '../../rows-from-text'

const [batch] = batchesOf(itemSchema, { feed: 'item' }, [
  ['itemId', 'title'],
  ['v1|1|0', 'a'],
])

describe('fault 102: a wrong chain names the stage, what it takes and what it was given', () => {
  const batches = 'batches of rows (RowBatch, as TsvRowParser gives them)'
  const rows = 'batches or arrays of rows'
  const pieces = 'pieces { offset, bytes }, where offset is a whole number from 0'
  const bytes = 'blocks of bytes (Uint8Array or Buffer)'

  test.each<[string, () => unknown, string, unknown, string]>([
    ['ColumnDecoder', () => new ColumnDecoder(), batches, Buffer.from('a'), 'a Buffer'],
    ['ColumnDecoder', () => new ColumnDecoder(), batches, [batch!.row(0)], 'an array of 1'],
    ['ColumnDecoder', () => new ColumnDecoder(), batches, null, 'null'],
    ['SnapshotMerger', () => new SnapshotMerger(), batches, 'text', 'a string ("text")'],
    ['SnapshotMerger', () => new SnapshotMerger(), batches, { a: 1, b: 2 }, 'an object with a, b'],
    ['GroupJoiner', () => new GroupJoiner({ groups: [] }), rows, 'text', 'a string ("text")'],
    ['GroupJoiner', () => new GroupJoiner({ groups: [] }), rows, batch!.row(0), 'a Row'],
    ['GroupJoiner', () => new GroupJoiner({ groups: [] }), rows, [{ id: 1 }], 'an object with id'],
    ['GroupJoiner', () => new GroupJoiner({ groups: [] }), rows, Buffer.from('a'), 'a Buffer'],
    ['ChunkReassembler', () => new ChunkReassembler(), pieces, Buffer.from('a'), 'a Buffer'],
    ['TsvRowParser', () => new TsvRowParser(), bytes, batch!, 'a RowBatch'],
  ])('%s that is given the wrong item', async (stage, make, expected, item, received) => {
    const step = make() as Stage<unknown, unknown>
    const run = new Promise((_, reject) => {
      step.on('error', reject)
      step.resume()
      step.write(item)
    })
    await expect(run).rejects.toMatchObject({
      code: 'STAGE_INPUT_INVALID',
      message: expect.stringContaining(`${stage} takes ${expected}, and was given ${received}`),
      context: { stage, expected, received },
    })
  })

  test('a long text is cut', async () => {
    const run = pipeline(['x'.repeat(1000)]).to(new TsvRowParser() as never)
    await expect(run.toArray()).rejects.toMatchObject({
      context: { received: `a string ("${'x'.repeat(38)}…)` },
    })
  })
})

test('rows in batches and in arrays are taken', async () => {
  const joined = async (items: unknown) =>
    (
      await pipeline([items as never])
        .to(new GroupJoiner({ groups: [] }))
        .toArray()
    ).length
  expect([await joined(batch), await joined([batch!.row(0)]), await joined([])]).toEqual([1, 1, 0])
})
