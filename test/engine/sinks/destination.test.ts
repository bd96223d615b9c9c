// The sinks with outputs that are no regular files.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import {
  lstat,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Duplex,
  PassThrough,
  pipeline as pass,
  type Readable,
  Transform,
  Writable,
} from 'node:stream'
import { text } from 'node:stream/consumers'
import { createGzip, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FeedError } from '../../../src/engine/errors'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import { tee } from '../../../src/engine/pipeline/tee'
import { byteSink } from '../../../src/engine/sinks/byte-sink'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { type Destination, GzipDestination } from '../../../src/engine/sinks/destination'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { arrowSink } from '../../../src/integrations/arrow'
import { parquetSink } from '../../../src/integrations/parquet'
import { runsWith } from '../../tools'

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

describe('fault 161: a stream that fails or closes behind its last write', () => {
  const rows = pipeline(() => [Buffer.from('a\tb\n1\t2\n')]).to(() => new TsvRowParser())
  const blocks = pipeline(() => [Buffer.from('12'), Buffer.from('345')])
  /** Each way to write it, with the number of bytes that come. */
  const SINKS: [string, (stream: Writable) => Promise<unknown>, number][] = [
    ['bytes', stream => blocks.run(byteSink(stream)), 5],
    ['ndjson', stream => rows.run(ndjsonSink(stream)), 18],
    ['csv', stream => rows.run(csvSink(stream)), 10],
    ['arrow', stream => rows.run(arrowSink(stream)), 706],
    ['tee', stream => blocks.run(tee([byteSink(stream), byteSink(join(folder, 'other'))])), 5],
  ]
  const AFTER = [
    (end: () => void) => end(),
    (end: () => void) => process.nextTick(end),
    (end: () => void) => void Promise.resolve().then(end),
    (end: () => void) => void setImmediate(end),
  ]
  const settled = (run: Promise<unknown>) => {
    const late = new Promise(resolve => setTimeout(resolve, 2_000, 'never settled').unref())
    const done = run.then(
      () => 'ended well',
      (error: FeedError) => error.code,
    )
    return Promise.race([done, late])
  }

  test.each(SINKS)('%s: by its reader, at any byte', async (_, write, total) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: total + 1 }),
        fc.constantFrom(undefined, new RangeError('reset')),
        fc.constantFrom(...AFTER),
        fc.constantFrom('data', 'iterator', 'slow iterator'),
        fc.constantFrom(1, 4, 1 << 14),
        async (last, error, turn, reader, highWaterMark) => {
          const stream = new PassThrough({ highWaterMark })
          stream.on('error', () => {})
          let bytes = 0
          const see = (block: Buffer) => {
            bytes += block.length
            if (bytes >= last) turn(() => void stream.destroy(error))
          }
          if (reader === 'data') stream.on('data', see)
          else
            (async () => {
              for await (const block of stream) {
                see(block)
                if (reader === 'slow iterator') await new Promise(next => setTimeout(next, 3))
              }
            })().catch(() => {})
          const outcome = await settled(write(stream))
          // A reader that takes everything and stays is the only good end.
          expect([outcome, bytes]).toEqual(
            last > total ? ['ended well', total] : ['SINK_FAILED', expect.any(Number)],
          )
          expect(existsSync(join(folder, 'other'))).toBe(_ === 'tee' && last > total)
          await rm(join(folder, 'other'), { force: true })
        },
      ),
      { numRuns: 60 },
    )
  })

  test.each(SINKS)(
    '%s: by itself, at any write, before and behind its callback',
    async (_, write) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.constantFrom(undefined, new RangeError('reset')),
          fc.constantFrom(...AFTER),
          fc.constantFrom('never', 'first', 'last'),
          async (last, error, turn, answer) => {
            let writes = 0
            const stream = new Writable({
              write(_chunk, _encoding, done) {
                const isLast = ++writes === last
                if (isLast && answer === 'last') turn(() => void stream.destroy(error))
                if (!isLast || answer !== 'never') done()
                if (isLast && answer !== 'last') turn(() => void stream.destroy(error))
              },
            })
            stream.on('error', () => {})
            const outcome = await settled(write(stream))
            expect(outcome).toBe(stream.destroyed ? 'SINK_FAILED' : 'ended well')
          },
        ),
        { numRuns: 60 },
      )
    },
  )

  test('while a write is in flight, whatever the stream is and however it goes', async () => {
    const never = { write() {}, highWaterMark: 1 }
    const STREAMS: Record<string, () => Writable> = {
      'a PassThrough whose reader does not read': () => new PassThrough({ highWaterMark: 1 }),
      'a Writable': () => new Writable(never),
      'one that emits no close': () => new Writable({ ...never, emitClose: false }),
      'one that is not destroyed by an error': () => new Writable({ ...never, autoDestroy: false }),
      'one whose destroy never ends': () => new Writable({ ...never, destroy() {} }),
      'one with a writev': () => new Writable({ writev() {}, highWaterMark: 1 }),
      'a Duplex of two': () =>
        Duplex.from({ writable: new Writable(never), readable: new PassThrough() }),
      'a Transform that never calls back': () => new Transform({ transform() {} }),
      'a gzip': () => createGzip(),
      'a web stream': () =>
        Writable.fromWeb(new WritableStream({ write: () => new Promise(() => {}) })),
    }
    const ENDS: Record<string, (stream: Writable) => unknown> = {
      destroy: stream => stream.destroy(),
      'destroy with an error': stream => stream.destroy(new RangeError('reset')),
      'an error event': stream => stream.emit('error', new RangeError('reset')),
      'the close of what it is piped to': stream => {
        const upload = new Writable(never)
        pass(stream as object as Readable, upload, () => {})
        upload.destroy()
      },
    }
    const big = pipeline(() => Array.from({ length: 40 }, () => Buffer.alloc(60_000)))
    for (const [stream, make] of Object.entries(STREAMS))
      for (const [way, end] of Object.entries(ENDS))
        for (const after of AFTER) {
          const made = make()
          made.on('error', () => {})
          const run = settled(big.run(byteSink(made)))
          await new Promise(resolve => setTimeout(resolve, 2))
          if (way.startsWith('the close') && !('pipe' in made && 'read' in made)) continue
          after(() => void end(made))
          expect([stream, way, await run]).toEqual([stream, way, 'SINK_FAILED'])
        }
  }, 60_000)

  test('where somebody else ends it, and its end fails or never comes', async () => {
    for (const fails of [true, false]) {
      let written = 0
      const stream: Writable = new Writable({
        write(_chunk, _encoding, done) {
          written++
          done()
        },
        final: done => void setImmediate(done, fails ? new RangeError('full') : null),
      })
      async function* source() {
        yield Buffer.from('1')
        // A source is read ahead.
        while (stream.writableLength > 0 || written === 0) await new Promise(setImmediate)
        stream.end()
      }
      const outcome = await settled(pipeline(source()).run(byteSink(stream)))
      expect(outcome).toBe(fails ? 'SINK_FAILED' : 'ended well')
    }
  })

  test('where it is the writable side of a web stream that fails late', async () => {
    for (const fails of [true, false]) {
      const web = new WritableStream({
        write: (_chunk, controller) => {
          if (fails) setImmediate(() => controller.error(new RangeError('late')))
        },
      })
      const outcome = await settled(blocks.run(byteSink(Writable.fromWeb(web as never))))
      expect(outcome).toBe(fails ? 'SINK_FAILED' : 'ended well')
    }
  })

  test('and a Transform without a reader, or a paused one, gets what fits it', async () => {
    const stream = new PassThrough()
    await blocks.run(byteSink(stream))
    stream.end()
    expect(await text(stream)).toBe('12345')
  })

  test('a FIFO whose reader leaves before the end', async () => {
    const path = join(folder, 'fifo')
    try {
      execFileSync('mkfifo', [path], { stdio: 'ignore' })
    } catch {
      return
    }
    const leaving = async () => {
      const reader = await open(path, 'r')
      await reader.read(Buffer.alloc(2), 0, 2)
      await reader.close()
    }
    const left = leaving()
    async function* source() {
      yield Buffer.from('12')
      await left
    }
    await expect(pipeline(source()).run(byteSink(path))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      context: { sink: 'bytes', target: path, reason: 'ENXIO' },
    })
  })
})

describe.runIf(runsWith('mkfifo') && existsSync('/proc/self/fd'))('an aborted run', () => {
  const rows = Buffer.from(`a\tb\n${'1\t2\n'.repeat(60_000)}`)
  const SINKS: Record<string, (run: Pipeline<Uint8Array>, target: string) => Promise<unknown>> = {
    bytes: (run, target) => run.run(byteSink(target)),
    ndjson: (run, target) => run.to(() => new TsvRowParser()).run(ndjsonSink(target)),
    gzip: (run, target) =>
      run.to(() => new TsvRowParser()).run(csvSink(target, { compress: 'gzip' })),
    arrow: (run, target) => run.to(() => new TsvRowParser()).run(arrowSink(target)),
    parquet: (run, target) => run.to(() => new TsvRowParser()).run(parquetSink(target)),
    tee: (run, target) => run.run(tee([byteSink(target), byteSink(join(folder, 'other'))])),
  }
  /** How many descriptors of this process are of the FIFO. */
  const opened = async (path: string) => {
    const all = await readdir('/proc/self/fd')
    const links = await Promise.all(
      all.map(fd => readlink(join('/proc/self/fd', fd)).catch(() => '')),
    )
    return links.filter(link => link === path).length
  }

  test('fault 161: ends at a FIFO without a reader, or with one that does not read, and closes it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(SINKS)),
        fc.constantFrom(undefined, 0, 10, 100_000),
        fc.constantFrom(0, 5, 30, 150),
        fc.boolean(),
        async (kind, reads, delayMs, isEndless) => {
          const path = join(folder, 'fifo')
          execFileSync('mkfifo', [path])
          const abort = new AbortController()
          const source = async function* () {
            yield rows
            while (isEndless) yield rows.subarray(4)
          }
          const run = SINKS[kind]!(pipeline(source, { signal: abort.signal }), path)
          const reading = async () => {
            const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
            const read = () => reader.read(Buffer.alloc(10_000)).catch(() => ({ bytesRead: 0 }))
            for (let left = reads!; left > 0; left -= 10_000) {
              await read()
              await new Promise(setImmediate)
            }
            return reader
          }
          const reader = reads === undefined ? undefined : await reading()
          const outcome = run.then(
            () => 'ended well',
            (error: FeedError) => `${error.code}: ${error.message}`,
          )
          await new Promise(resolve => setTimeout(resolve, delayMs))
          abort.abort()
          const late = new Promise(resolve => setTimeout(resolve, 2_000, 'never'))
          expect(await Promise.race([outcome, late])).toMatch(
            /^ABORTED: the run was aborted$|^ended/,
          )
          await reader?.close()
          expect(await opened(path)).toBe(0)
          expect(await readdir(folder)).toEqual(['fifo'])
          await rm(path)
        },
      ),
      { numRuns: 40 },
    )
  }, 60_000)
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
