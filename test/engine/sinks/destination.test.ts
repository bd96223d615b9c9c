// The sinks with outputs that are no regular files.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { byteSink } from '../../../src/engine/sinks/byte-sink'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { type Destination, GzipDestination } from '../../../src/engine/sinks/destination'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-destination-'))
})
afterEach(() => rm(folder, { recursive: true }))

const objects = Array.from({ length: 5_000 }, (_, n) => ({ n, title: 'ü "quoted"'.repeat(10) }))
const items = Array.from({ length: 50 }, (_, n) => objects.slice(n * 100, n * 100 + 100))
const ndjson = objects.map(object => `${JSON.stringify(object)}\n`).join('')
const hasDescriptors = existsSync('/dev/fd')

describe('paths', () => {
  // A defect could replace a device of the machine when root runs the tests, so the test uses one
  // that nothing else needs.
  test.runIf(existsSync('/dev/full'))(
    'fault 91: a device stays a device, and its refusal is a typed error, at its path and through a link',
    async () => {
      await symlink('/dev/full', join(folder, 'link'))
      for (const path of ['/dev/full', join(folder, 'link')]) {
        for (const [name, run] of [
          ['ndjson', () => pipeline([{ n: 1 }]).run(ndjsonSink(path))],
          ['csv', () => pipeline([{ n: 1 }]).run(csvSink(path))],
          ['bytes', () => pipeline([Buffer.from('1')]).run(byteSink(path))],
        ] as const) {
          await expect(run()).rejects.toMatchObject({
            code: 'SINK_FAILED',
            message: expect.stringMatching(new RegExp(`^${path} cannot be written: .*ENOSPC`)),
            context: { sink: name, target: path, reason: 'ENOSPC' },
          })
        }
      }
      expect((await stat('/dev/full')).isCharacterDevice()).toBe(true)
      expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true)
      expect(await readdir(folder)).toEqual(['link'])
    },
  )

  test('fault 91: a FIFO receives the text and stays a FIFO', async () => {
    const path = join(folder, 'fifo')
    try {
      execFileSync('mkfifo', [path], { stdio: 'ignore' })
    } catch {
      console.warn(
        'LEFT OUT: no tool mkfifo on this machine, so no sink was tried on a FIFO; the pipes of test/cli/sync/export-output are like it',
      )
      return
    }
    const [read] = await Promise.all([
      readFile(path, 'utf8'),
      pipeline(items).run(ndjsonSink(path)),
    ])
    expect(read).toBe(ndjson)
    expect((await stat(path)).isFIFO()).toBe(true)
    expect(await readdir(folder)).toEqual(['fifo'])
  })

  test.runIf(hasDescriptors)(
    'fault 91: an open descriptor is written at the position of its other writers',
    async () => {
      const path = join(folder, 'log')
      const descriptor = openSync(path, 'w')
      try {
        await pipeline(['one']).run(ndjsonSink(`/dev/fd/${descriptor}`))
        await pipeline(['two']).run(ndjsonSink(`/dev/fd/${descriptor}`))
      } finally {
        closeSync(descriptor)
      }
      expect(await readFile(path, 'utf8')).toBe('"one"\n"two"\n')
      await expect(
        pipeline(['three']).run(ndjsonSink(`/dev/fd/${descriptor}`)),
      ).rejects.toMatchObject({
        code: 'SINK_FAILED',
        context: { reason: 'EBADF' },
      })
    },
  )

  test('fault 91: a folder is refused before the first read', async () => {
    let reads = 0
    function* source() {
      yield { n: reads++ }
    }
    await expect(pipeline(source).run(ndjsonSink(folder))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      context: { target: folder, reason: 'EISDIR' },
    })
    expect(reads).toBe(0)
    expect(await readdir(folder)).toEqual([])
  })

  test('a place where no file can be made is refused before the first read, with the path and the reason', async () => {
    await writeFile(join(folder, 'file'), '')
    let reads = 0
    function* source() {
      yield { n: reads++ }
    }
    for (const [path, reason] of [
      [join(folder, 'none/out'), 'ENOENT'],
      [join(folder, 'file/out'), 'ENOTDIR'],
    ] as const) {
      await expect(pipeline(source).run(csvSink(path))).rejects.toMatchObject({
        code: 'SINK_FAILED',
        message: expect.stringMatching(new RegExp(`^${path} cannot be written: .*${reason}`)),
        context: { sink: 'csv', target: path, reason },
      })
    }
    expect(reads).toBe(0)
    expect(await readdir(folder)).toEqual(['file'])
  })
})

describe('streams', () => {
  test('get every line in order at any speed of the reader, and are not ended', async () => {
    const stream = new PassThrough({ highWaterMark: 16 })
    const read = text(stream)
    await pipeline(items).run(ndjsonSink(stream))
    expect(stream.writableEnded).toBe(false)
    expect(stream.listenerCount('error')).toBe(new PassThrough().listenerCount('error') + 1)
    stream.end()
    expect(await read).toBe(ndjson)
  })

  test('fault 95: fail with a typed error and its reason when the reader has gone away, and end nothing else', async () => {
    const gone = new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    await expect(pipeline([[{ n: 1 }]]).run(ndjsonSink(gone))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      message: 'the stream cannot be written: write EPIPE',
      context: { sink: 'ndjson', target: 'the stream', reason: 'EPIPE' },
      cause: { code: 'EPIPE' },
    })
    // The event of a failed write comes after its callback.
    await new Promise(setImmediate)
    await expect(pipeline([[{ n: 1 }]]).run(ndjsonSink(gone))).rejects.toMatchObject({
      context: { reason: 'ERR_STREAM_DESTROYED' },
    })
  })

  test('get nothing more from a pipeline that failed', async () => {
    const stream = new PassThrough()
    const read = text(stream)
    async function* failing() {
      yield [{ n: 1 }]
      await Promise.reject(new Error('broken'))
    }
    await expect(pipeline(failing()).run(ndjsonSink(stream))).rejects.toMatchObject({
      code: 'STAGE_FAILED',
    })
    stream.end()
    expect(await read).toBe('')
  })
})

test('fault 102: a target that is no path and no stream is refused at the call', () => {
  for (const make of [ndjsonSink, csvSink]) {
    for (const target of [undefined, null, '', 7, 'a\0b', {}, { write() {} }, PassThrough]) {
      expect(() => make(target as string)).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          context: expect.objectContaining({ option: 'target' }),
        }),
      )
    }
  }
})

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
