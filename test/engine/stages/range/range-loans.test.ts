// The memory of pieces: lent to a stage that borrows, and left to every other reader. The fetcher of
// these tests overwrites what it has lent as soon as the next piece is asked for.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Piece } from '../../../../src/engine/codec/range/reorder-buffer'
import { pipeline } from '../../../../src/engine/pipeline/pipeline'
import { ChunkReassembler } from '../../../../src/engine/stages/chunk-reassembler'
import { RangeFetcher } from '../../../../src/engine/stages/range/range-fetcher'
import { Source } from '../../../../src/engine/stages/source'
import { Stage } from '../../../../src/engine/stages/stage'
import { type Asked, type Reply, reset, ScriptedTransport, sampleFile } from '../scripted-transport'

const file = sampleFile(400)
const WINDOW_BYTES = 60
const RANGE_BYTES = 20

class Watched extends RangeFetcher {
  readonly memories: ArrayBufferLike[] = []
  readonly offsets: number[] = []
  #lends = false

  override lendOutputs(): boolean {
    this.#lends = super.lendOutputs()
    return this.#lends
  }

  protected override async *produce(): AsyncGenerator<Piece, void, void> {
    for await (const piece of super.produce()) {
      this.memories.push(piece.bytes.buffer)
      this.offsets.push(piece.offset)
      yield piece
      if (this.#lends) piece.bytes.fill(0xee)
    }
  }
}

/** Copies its inputs, as Gunzip does. */
class Copier extends Stage<Uint8Array, Uint8Array> {
  override get borrowsInputs(): boolean {
    return true
  }

  protected override async *transform(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    await null
    yield Uint8Array.from(bytes)
  }
}

const watched = (transport: ScriptedTransport) =>
  new Watched({
    url: 'http://feed.test/file',
    transport,
    chunkBytes: RANGE_BYTES,
    concurrency: 3,
    windowBytes: WINDOW_BYTES,
    retry: { backoffBaseMs: 0 },
  })

const reassembler = () => new ChunkReassembler({ windowBytes: WINDOW_BYTES })
const lent = (source: Source<Piece>) => pipeline(source).to(reassembler()).to(new Copier())
const isFile = (blocks: readonly Uint8Array[]) => Buffer.concat(blocks).equals(file)

const half = ({ start, end }: Asked) => Math.ceil((start + end) / 2)

/** What can happen to the body of one request. */
const replies: Record<string, (transport: ScriptedTransport, asked: Asked) => Reply> = {
  whole: transport => transport.whole(),
  short: (transport, asked) => ({
    ...transport.honest(asked),
    body: transport.parts(asked.start, half(asked)),
  }),
  cut: (transport, asked) => ({
    ...transport.honest(asked),
    body: [...transport.parts(asked.start, half(asked)), reset()],
  }),
  overlong: (transport, asked) => ({
    ...transport.honest(asked),
    body: [...transport.parts(asked.start, asked.end), Uint8Array.of(1)],
  }),
}

test('lent pieces give the bytes of the file, whatever happens to bodies, in a few blocks', async () => {
  const fate = fc.record({
    name: fc.constantFrom('good', 'good', ...Object.keys(replies)),
    turns: fc.nat(3),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 30 }), async fates => {
      let overlong = 0
      const transport: ScriptedTransport = new ScriptedTransport(file, async asked => {
        const { name, turns } = fates[asked.index] ?? { name: 'good', turns: 0 }
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
        // A second one of the same range would be an error.
        if (name === 'overlong' && overlong++ > 0) return undefined
        return replies[name]?.(transport, asked)
      })
      const fetcher = watched(transport)
      expect(isFile(await lent(fetcher).toArray())).toBe(true)
      expect(fetcher.offsets).toEqual([...fetcher.offsets].sort((a, b) => a - b))
      expect(fetcher.heldBytes).toBe(0)
      if (fates.every(({ name }) => name !== 'whole'))
        expect(new Set(fetcher.memories).size).toBeLessThanOrEqual(WINDOW_BYTES / RANGE_BYTES + 1)
    }),
    { numRuns: 60 },
  )
})

test('a reader that does not borrow keeps what it was given', async () => {
  const pieces = await pipeline(watched(new ScriptedTransport(file))).toArray()
  pieces.sort((a, b) => a.offset - b.offset)
  expect(isFile(pieces.map(({ bytes }) => bytes))).toBe(true)
  const ordered = pipeline(watched(new ScriptedTransport(file))).to(reassembler())
  expect(isFile(await ordered.toArray())).toBe(true)
  const byHand: Uint8Array[] = []
  for await (const block of watched(new ScriptedTransport(file)).pipe(reassembler()))
    byHand.push(block)
  expect(isFile(byHand)).toBe(true)
})

test('ChunkReassembler copies lent pieces that have to wait, and no others', async () => {
  const memory = new Uint8Array(100)
  class Lender extends Source<Piece> {
    override lendOutputs(): boolean {
      return true
    }
    protected override *produce(): Generator<Piece, void, void> {
      for (const offset of [20, 0, 40, 10, 30, 50]) {
        memory.set(file.subarray(offset, offset + 10))
        yield { offset, bytes: memory.subarray(0, 10) }
      }
    }
  }
  const passed: boolean[] = []
  class Watching extends Copier {
    protected override transform(bytes: Uint8Array) {
      passed.push(bytes.buffer === memory.buffer)
      return super.transform(bytes)
    }
  }
  const blocks = await pipeline(new Lender()).to(reassembler()).to(new Watching()).toArray()
  expect(Buffer.concat(blocks).equals(file.subarray(0, 60))).toBe(true)
  expect(passed).toEqual([true, true, false, true, false, true])
})
