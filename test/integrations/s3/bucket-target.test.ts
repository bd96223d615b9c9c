// Objects of buckets as targets of sinks: the object is there as a whole or not at all, whatever
// happens to the requests, and no part of it stays behind a failure or the next run.
//
// Long: every request of an upload fails in every way.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  byteSink,
  csvSink,
  FeedError,
  ndjsonSink,
  pipeline,
  type Sink,
  tee,
} from '../../../src/index'
import { BucketClient } from '../../../src/integrations/s3/bucket-client'
import { BucketUpload } from '../../../src/integrations/s3/bucket-upload'
import { type BucketOptions, bucketTarget } from '../../../src/s3'
import { builtScripts } from '../../built-scripts'
import { runsWithService } from '../../services'
import { type Fault, type FaultyStore, faultyStore, refusal } from './faulty-store'
import { TestBucket } from './test-bucket'

const runs = await runsWithService('s3')
/** Smaller than a user may choose: the store of the tests takes parts of any size. */
const PART_BYTES = 10_000
/** Two parts and a bit of a third one. */
const CONTENT = Buffer.alloc(2 * PART_BYTES + 1000, 'a line of the file\n')
const OLD = 'what was there before'

describe.skipIf(!runs)('an object of a bucket', () => {
  let bucket: TestBucket
  let store: FaultyStore
  let options: BucketOptions
  let built: string
  beforeAll(async () => {
    built = await builtScripts('bucket-upload', {
      upload: 'test/integrations/s3/upload-process.ts',
    })
    bucket = await TestBucket.made()
    store = await faultyStore(bucket.options.endpoint as string)
    options = { ...bucket.options, endpoint: store.endpoint }
  }, 60_000)
  afterAll(async () => {
    await store.close()
    await bucket.drop()
    await rm(built, { recursive: true })
  })
  beforeEach(() => store.reset())

  const targetOf = (key: string) => {
    const address = bucket.addressOf(key)
    const client = new BucketClient(address, options)
    return { address, openDestination: () => new BucketUpload(client, PART_BYTES).open() }
  }
  const written = async (key: string, content = CONTENT) => {
    try {
      await pipeline(blocksOf(content)).run(byteSink(targetOf(key)))
      return undefined
    } catch (error) {
      if (!FeedError.is(error)) throw error
      return error
    }
  }

  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, CONTENT.length])(
    'has the %i bytes that were written',
    async size => {
      const content = CONTENT.subarray(0, size)
      expect(await written('sizes', content)).toBeUndefined()
      expect(await bucket.get('sizes')).toBe(content.toString())
      expect(await bucket.uploads()).toEqual([])
      const parts = store.seen.filter(({ operation }) => operation === 'Part')
      const sizes = parts.map(({ headers }) => Number(headers['content-length']))
      expect(sizes.slice(0, -1).every(bytes => bytes === PART_BYTES)).toBe(true)
      expect(sizes.reduce((sum, bytes) => sum + bytes)).toBe(size)
    },
  )

  test('is what every sink of bytes writes', async () => {
    const rows = [{ id: 'a', n: 1 }]
    const [lines, zipped, table] = ['lines', 'zipped', 'table'].map(targetOf)
    await pipeline([rows]).run(
      tee([ndjsonSink(lines!), ndjsonSink(zipped!, { compress: 'gzip' }), csvSink(table!)]),
    )
    expect(await bucket.get('lines')).toBe('{"id":"a","n":1}\n')
    expect(await bucket.get('table')).toBe('id,n\r\na,1\r\n')
    const sink = byteSink(targetOf('zipped'))
    expect(sink.writes).toEqual([expect.objectContaining({ address: bucket.addressOf('zipped') })])
  })

  test('is refused as the target of two sinks of a run', async () => {
    const both = tee([ndjsonSink(targetOf('twice')), csvSink(targetOf('twice'))] as Sink<
      object[]
    >[])
    await expect(pipeline([[{ a: 1 }]]).run(both)).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    expect(await bucket.uploads()).toEqual([])
  })

  test('is not seen before the run has succeeded, nor any part of it after an abort', async () => {
    const seen: unknown[] = []
    async function* blocks() {
      for (const block of blocksOf(CONTENT)) {
        yield block
        seen.push(await bucket.get('hidden'))
      }
      throw new RangeError('no more')
    }
    await expect(pipeline(blocks()).run(byteSink(targetOf('hidden')))).rejects.toThrow('no more')
    expect(new Set(seen)).toEqual(new Set([undefined]))
    expect(await bucket.get('hidden')).toBeUndefined()
    expect(await bucket.uploads()).toEqual([])
  })

  const FAULTS: Record<string, Fault> = {
    'a connection that ends before': 'lost',
    'an answer that is lost': 'done',
    'an answer that is cut': 'cut',
    'a slow answer': 'slow',
    SlowDown: { ...refusal(503, 'SlowDown'), headers: { 'Retry-After': '1' } },
    'a failure of the store': refusal(500, 'InternalError'),
    'a failure behind a 200': refusal(200, 'InternalError'),
    'a refusal behind a 200': refusal(200, 'InvalidPart'),
    'a refusal behind a 200, when it is done': { ...refusal(200, 'InternalError'), isDone: true },
    'a refusal': refusal(403, 'AccessDenied'),
    'an answer without anything': { status: 200, body: '' },
    'a page of something else': { status: 200, body: '<html><p>Hello</html>', isDone: true },
  }
  /** Create, the list of uploads, three parts, Complete. */
  const REQUESTS = 6
  /** One of the three parts is enough. */
  const FAULTY = [0, 1, 3, 5]

  describe.each(Object.entries(FAULTS))('fault 152: with %s', (_, fault) => {
    test.each(FAULTY)(
      'at request %i is whole or as it was, also where the fault stays',
      async at => {
        for (const isLasting of [false, true]) {
          store.reset()
          const key = `fault-${at}-${isLasting}`
          // It has the mark of another upload.
          await written(key, Buffer.from(OLD))
          store.reset()
          store.onRequest = ({ n }) => (n === at || (isLasting && n > at) ? fault : undefined)
          const failure = await written(key)
          const now = await bucket.get(key)
          if (failure === undefined) expect(now).toBe(CONTENT.toString())
          else {
            expect(failure.code).toBe('SINK_FAILED')
            const mayBe = (failure.context as { mayBeCommitted?: true }).mayBeCommitted === true
            if (mayBe) expect([OLD, CONTENT.toString()]).toContain(now)
            else expect(now).toBe(OLD)
          }
          store.reset()
          expect(await written(key)).toBeUndefined()
          expect(await bucket.get(key)).toBe(CONTENT.toString())
          expect((await bucket.uploads()).filter(open => open === key)).toEqual([])
        }
      },
    )
  })

  test.each(['lost', 'done', 'cut'] as const)(
    'fault 152: is written all the same where one answer to Complete is %s',
    async fault => {
      let isFirst = true
      store.onRequest = ({ operation }) => {
        if (operation !== 'Complete' || !isFirst) return undefined
        isFirst = false
        return fault
      }
      expect(await written('completed')).toBeUndefined()
      expect(await bucket.get('completed')).toBe(CONTENT.toString())
    },
  )

  test.each(['Create', 'Uploads', 'Part'])(
    'leaves nothing where the run is aborted at %s',
    async at => {
      const stop = new AbortController()
      store.onRequest = ({ operation }) => {
        if (operation === at) stop.abort(new RangeError('enough'))
        return undefined
      }
      const sink = byteSink(targetOf('aborted'))
      const running = pipeline(blocksOf(CONTENT), { signal: stop.signal }).run(sink)
      await expect(running).rejects.toMatchObject({ code: 'ABORTED' })
      await expect.poll(() => bucket.uploads(), { timeout: 5_000 }).toEqual([])
      expect(await bucket.get('aborted')).toBeUndefined()
    },
  )

  test('is that of the run that began later, and the other one fails', async () => {
    const later = Buffer.from('of the later run')
    async function* blocks() {
      yield CONTENT
      // Uploads that begin in one millisecond leave each other alone.
      await new Promise(resolve => setTimeout(resolve, 5))
      expect(await written('both', later)).toBeUndefined()
      yield CONTENT
    }
    const running = pipeline(blocks()).run(byteSink(targetOf('both')))
    await expect(running).rejects.toMatchObject({ code: 'SINK_FAILED' })
    expect(await bucket.get('both')).toBe(later.toString())
    expect(await bucket.uploads()).toEqual([])
  })

  test('has the words of a refusal behind a 200', async () => {
    store.onRequest = ({ operation }) =>
      operation === 'Complete' ? refusal(200, 'InvalidPart') : undefined
    expect((await written('refused'))?.message).toContain('status 200: InvalidPart')
    expect(store.seen.filter(({ operation }) => operation === 'Complete')).toHaveLength(1)
  })

  test('fault 152: of which nobody can say whether it is there is said to be so', async () => {
    store.onRequest = ({ operation }) =>
      operation === 'Complete' ? 'done' : operation === 'Head' ? 'lost' : undefined
    const failure = await written('doubtful')
    expect(failure).toMatchObject({ code: 'SINK_FAILED', context: { mayBeCommitted: true } })
    expect(failure!.message).toContain('look whether it is there')
    expect(await bucket.get('doubtful')).toBe(CONTENT.toString())
  })

  test('has parts of 5 MiB or more, and 10,000 of them at most', async () => {
    const address = bucket.addressOf('large')
    expect(() => bucketTarget(address, { ...options, partBytes: 1 })).toThrow(
      'partBytes must be a whole number from 5242880',
    )
    const partBytes = 5 * 2 ** 20
    const content = Buffer.alloc(partBytes + 1, 'a line\n')
    await pipeline([content]).run(byteSink(bucketTarget(address, { ...options, partBytes })))
    expect(await bucket.get('large')).toBe(content.toString())
    const client = new BucketClient(address, options)
    client.ask = (async ({ operation }: { operation: string }) =>
      operation === 'AbortMultipartUpload' ? undefined : '"tag"') as typeof client.ask
    const upload = new BucketUpload(client, 1)
    await upload.write(Buffer.alloc(10_000))
    await expect(upload.write(Buffer.alloc(1))).rejects.toThrow('raise partBytes')
    await upload.abort()
  })

  test('fault 152: is whole or not there behind a kill at each request', async () => {
    for (let at = 0; at <= REQUESTS; at++) {
      const key = 'killed'
      await bucket.remove(key)
      for (const isBehind of [false, true]) {
        store.reset()
        const args = [bucket.addressOf(key), store.endpoint, PART_BYTES, CONTENT.toString()]
        const child = fork(join(built, 'upload.js'), args.map(String), { execArgv: [] })
        const exited = once(child, 'exit')
        store.onRequest = async ({ n }) => {
          if (n !== at) return undefined
          if (!isBehind) child.kill('SIGKILL')
          else setImmediate(() => child.kill('SIGKILL'))
          return isBehind ? 'done' : 'lost'
        }
        await exited
        store.reset()
        const now = await bucket.get(key)
        expect([undefined, CONTENT.toString()]).toContain(now)
        if (at < REQUESTS - 1) expect(now).toBeUndefined()
      }
      store.reset()
      expect(await written(key)).toBeUndefined()
      expect(await bucket.get(key)).toBe(CONTENT.toString())
      expect(await bucket.uploads()).toEqual([])
    }
  })
})

function* blocksOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += 7_000) yield content.subarray(at, at + 7_000)
}
