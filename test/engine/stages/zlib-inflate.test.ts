import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { OUTPUT_BLOCK_BYTES } from '../../../src/engine/codec/gzip/inflate-engine'
import { ZlibInflate } from '../../../src/engine/stages/zlib-inflate'
import { engineContract } from '../codec/gzip/engine-contract'

describe('the node:zlib engine', () => {
  engineContract(startOffset => new ZlibInflate(startOffset))

  test('stops a sequence that waits when it is destroyed', async () => {
    const engine = new ZlibInflate(0)
    const outputs = engine.inflate(deflateRawSync(Buffer.alloc(16 * OUTPUT_BLOCK_BYTES)))
    const first = outputs.next()
    engine.destroy()
    await expect(first).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
  })

  test('stops finishing when it is destroyed', async () => {
    const engine = new ZlibInflate(0)
    const finished = engine.finish().next()
    engine.destroy()
    expect((await finished).done).toBe(true)
    expect(engine.ended).toBe(false)
  })
})
