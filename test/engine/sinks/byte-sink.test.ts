import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { byteSink } from '../../../src/engine/sinks/byte-sink'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-bytes-'))
  path = join(folder, 'out')
})
afterEach(() => rm(folder, { recursive: true }))

test('the file is the blocks, one after another, however they are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), async blocks => {
      await pipeline(blocks).run(byteSink(path))
      expect(await readFile(path)).toEqual(Buffer.concat(blocks))
    }),
    { numRuns: 50 },
  )
  expect(await readdir(folder)).toEqual(['out'])
})

test('a compressed file has the blocks in one gzip stream', async () => {
  await pipeline([Buffer.from('one '), Buffer.from('two')]).run(
    byteSink(path, { compress: 'gzip' }),
  )
  expect(gunzipSync(await readFile(path)).toString()).toBe('one two')
})

test('after a failure the file is as it was, and nothing is beside it', async () => {
  await writeFile(path, 'before')
  function* failing() {
    yield Buffer.from('new')
    throw new RangeError('the source failed')
  }
  await expect(pipeline(failing()).run(byteSink(path))).rejects.toMatchObject({
    code: 'STAGE_FAILED',
  })
  expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['before', ['out']])
})

test('a block that is no bytes is refused', async () => {
  const blocks: unknown[] = [Buffer.from('bytes'), 'text']
  await expect(pipeline(blocks as Uint8Array[]).run(byteSink(path))).rejects.toMatchObject({
    code: 'STAGE_INPUT_INVALID',
    context: { stage: 'bytes' },
  })
  expect(await readdir(folder)).toEqual([])
})
