import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { byteBlock } from '../../../src/engine/codec/stage-input'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { itemSchema } from '../../../src/engine/schema/feed-schemas'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import type { Stage } from '../../../src/engine/stages/stage'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { GroupJoiner } from '../../../src/state/group-joiner'
import { SnapshotMerger } from '../../../src/state/snapshot-merger'
import { batchesOf } from '../../rows-from-text'

const refused = (received: string) =>
  expect.objectContaining({
    code: 'STAGE_INPUT_INVALID',
    message: expect.stringContaining(
      `AnyStage takes blocks of bytes (Uint8Array or Buffer), and was given ${received}`,
    ),
    context: { stage: 'AnyStage', expected: 'blocks of bytes (Uint8Array or Buffer)', received },
  })

describe('fault 102: a stage over bytes names the types that it takes', () => {
  test.each([
    ['a Uint8Array', new Uint8Array(3)],
    ['a Buffer', Buffer.from('abc')],
    ['an empty block', new Uint8Array()],
    ['a block of shared memory', new Uint8Array(new SharedArrayBuffer(3))],
    ['a Uint8Array of another realm', runInNewContext('new Uint8Array(3)')],
  ])('%s is taken as it is', (_, block) => {
    expect(byteBlock('AnyStage', block)).toBe(block)
  })

  test.each<[string, unknown, string]>([
    ['text', 'a\tb\n', 'a string ("a\\tb\\n")'],
    ['a Uint16Array', new Uint16Array(2), 'a Uint16Array'],
    ['an Int8Array', new Int8Array(2), 'an Int8Array'],
    ['a DataView', new DataView(new ArrayBuffer(2)), 'a DataView'],
    ['an ArrayBuffer', new ArrayBuffer(2), 'an ArrayBuffer'],
    ['an object', { [Symbol.toStringTag]: 'Uint8Array' }, 'an object'],
    ['a list of bytes', [1, 2], 'an array of 2'],
    ['a number', 3, '3'],
    ['null', null, 'null'],
    ['nothing', undefined, 'undefined'],
  ])('%s is refused', (_, block, received) => {
    expect(() => byteBlock('AnyStage', block)).toThrow(refused(received))
  })

  test('the message says what the caller has to do', () => {
    expect(() => byteBlock('AnyStage', 'text')).toThrow(/without an encoding/)
    expect(() => byteBlock('AnyStage', new Uint16Array(1))).toThrow(
      /new Uint8Array\(block\.buffer, block\.byteOffset/,
    )
    expect(() => byteBlock('AnyStage', new ArrayBuffer(1))).toThrow(/new Uint8Array\(block\)/)
  })
})

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
