import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Destination } from '../../../src/engine/sinks/destination'
import { GzipDestination } from '../../../src/engine/sinks/gzip-destination'
import { csvSink, ndjsonSink, pipeline } from '../../../src/index'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-gzip-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

class Memory implements Destination {
  readonly blocks: Uint8Array[] = []
  isCommitted = false
  async write(bytes: Uint8Array): Promise<void> {
    this.blocks.push(Uint8Array.from(bytes))
  }
  async commit(): Promise<void> {
    this.isCommitted = true
  }
  async abort(): Promise<void> {}
}

test('What was written comes out of gzip, however it was cut, from a buffer that is used again.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(300_000), { maxLength: 5 }), async sizes => {
      const memory = new Memory()
      const gzip = new GzipDestination(memory)
      const whole: Buffer[] = []
      const buffer = Buffer.alloc(300_000)
      for (const size of sizes) {
        const bytes = randomBytes(size)
        whole.push(bytes)
        bytes.copy(buffer)
        await gzip.write(buffer.subarray(0, size))
      }
      await gzip.prepare()
      expect(memory.isCommitted).toBe(false)
      await gzip.commit()
      expect(memory.isCommitted).toBe(true)
      expect(gunzipSync(Buffer.concat(memory.blocks)).equals(Buffer.concat(whole))).toBe(true)
    }),
    { numRuns: 20 },
  )
})

test('Both sinks of text compress, whole or not at all.', async () => {
  const ndjson = join(folder, 'a.ndjson.gz')
  const csv = join(folder, 'a.csv.gz')
  await pipeline([{ a: 1 }]).run(ndjsonSink(ndjson, { compress: 'gzip' }))
  await pipeline([{ a: 1 }]).run(csvSink(csv, { compress: 'gzip' }))
  expect(gunzipSync(await readFile(ndjson)).toString()).toBe('{"a":1}\n')
  expect(gunzipSync(await readFile(csv)).toString()).toBe('a\r\n1\r\n')
  async function* torn() {
    yield { a: 1 }
    throw new TypeError('torn')
  }
  const other = ndjsonSink<{ a: number }>(join(folder, 'b.gz'), { compress: 'gzip' })
  await expect(pipeline(torn()).run(other)).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  expect((await readdir(folder)).sort()).toEqual(['a.csv.gz', 'a.ndjson.gz'])
})

test('Another compression is refused.', () => {
  expect(() => ndjsonSink('a', { compress: 'zip' as 'gzip' })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
