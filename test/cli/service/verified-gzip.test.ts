import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifiedGzip } from '../../../src/cli/service/verified-gzip'
import { pipeline, type Sink } from '../../../src/index'

/** A sink that keeps what it gets, and how it ended. */
function keeping() {
  const blocks: Uint8Array[] = []
  const ends: string[] = []
  const sink: Sink<Uint8Array> = {
    name: 'keeping',
    open: () => void blocks.splice(0),
    write: block => void blocks.push(Uint8Array.from(block)),
    commit: () => void ends.push('commit'),
    abort: () => void ends.push('abort'),
  }
  return { sink, ends, bytes: () => Buffer.concat(blocks) }
}

const cutAt = (bytes: Buffer, sizes: readonly number[]) => {
  const blocks: Buffer[] = []
  let from = 0
  for (const size of [...sizes, bytes.length]) {
    blocks.push(bytes.subarray(from, from + size))
    from += size
  }
  return blocks
}

test('the target gets the same bytes, however they are cut, and is committed once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 5_000 }),
      fc.array(fc.nat(200)),
      async (content, sizes) => {
        const { sink, ends, bytes } = keeping()
        const file = gzipSync(content)
        await pipeline(cutAt(file, sizes)).run(verifiedGzip(sink))
        expect([ends, bytes().equals(file)]).toEqual([['commit'], true])
      },
    ),
    { numRuns: 30 },
  )
})

test('a file of many megabytes passes whole', async () => {
  const { sink, ends, bytes } = keeping()
  const lines = Array.from({ length: 1_000_000 }, (_, n) => `line ${n * 7919}\n`)
  const file = gzipSync(lines.join(''))
  await pipeline(cutAt(file, [1_000, 10_000])).run(verifiedGzip(sink))
  expect([ends, bytes().equals(file)]).toEqual([['commit'], true])
})

test('a file that is cut, changed or continued is never committed', async () => {
  const file = gzipSync('a file of some length, which is verified')
  const changed = (at: number) => {
    const copy = Buffer.from(file)
    copy[at]! ^= 1
    return copy
  }
  const bad = [
    ...Array.from({ length: file.length - 1 }, (_, n) => file.subarray(0, n + 1)),
    // The header's time, flags of the compressor and system say nothing about the content.
    ...Array.from({ length: file.length - 10 }, (_, n) => changed(n + 10)),
    Buffer.concat([file, Buffer.from('more')]),
  ]
  for (const bytes of bad) {
    const { sink, ends } = keeping()
    await expect(pipeline([bytes]).run(verifiedGzip(sink))).rejects.toMatchObject({
      code: expect.stringMatching(/^GZIP_/),
    })
    expect(ends).toEqual(['abort'])
  }
})

test('no bytes at all are a file without content', async () => {
  const { sink, ends } = keeping()
  await pipeline<Uint8Array>([]).run(verifiedGzip(sink))
  expect(ends).toEqual(['commit'])
})

test('the same sink serves a later run', async () => {
  const { sink, ends, bytes } = keeping()
  const verified = verifiedGzip(sink)
  const file = gzipSync('content')
  await expect(pipeline([file.subarray(0, 20)]).run(verified)).rejects.toThrow()
  await pipeline([file]).run(verified)
  expect([ends, bytes().equals(file)]).toEqual([['abort', 'commit'], true])
})
