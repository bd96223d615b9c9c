import { Duplex, Readable, Writable } from 'node:stream'
import { pipeline as nodePipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { Source } from '../../../src/engine/stages/source'
import { Stage } from '../../../src/engine/stages/stage'

class Count extends Source<number> {
  readonly made: number[] = []
  constructor(private readonly until: number) {
    super()
  }
  protected override *produce() {
    for (let n = 0; n < this.until; n++) {
      this.made.push(n)
      yield n
    }
  }
}

class Spread extends Stage<number, number> {
  pulled = 0
  released = 0
  constructor(private readonly width: number) {
    super()
  }
  protected override *transform(n: number) {
    for (let i = 0; i < this.width; i++) {
      this.pulled++
      yield n * this.width + i
    }
  }
  protected override release() {
    this.released++
  }
}

class Later extends Stage<number, number> {
  protected override async *transform(n: number) {
    await new Promise(setImmediate)
    yield n
  }
}

const settle = () => new Promise(resolve => setImmediate(resolve))

test('a paused reader bounds one write that yields many: at most one output waits', async () => {
  const stage = new Spread(1000)
  expect(stage.write(0)).toBe(false)
  await settle()
  expect(stage.pulled).toBe(1)
  expect(stage.bufferLength).toBe(1)
  expect(stage.read()).toBe(0)
  await settle()
  expect(stage.pulled).toBe(2)
})

test('write asks the writer to wait, and drain comes once when it may continue', async () => {
  const stage = new Spread(2)
  let drains = 0
  stage.on('drain', () => drains++)
  expect(stage.write(1)).toBe(false)
  expect([stage.read(), stage.read()]).toEqual([2, 3])
  await settle()
  expect(drains).toBe(1)
})

test('outputs come in order through synchronous and asynchronous stages, by every way of reading', async () => {
  const expected = Array.from({ length: 60 }, (_, n) => n)
  const chain = () => new Count(20).pipe(new Spread(3)).pipe(new Later())
  expect([...(await chain().collect())]).toEqual(expected)
  const iterated: number[] = []
  for await (const n of chain()) iterated.push(n)
  expect(iterated).toEqual(expected)
  expect(await Readable.from(chain()).toArray()).toEqual(expected)
  const web: number[] = []
  for await (const n of Readable.toWeb(Readable.from(chain())) as AsyncIterable<number>) web.push(n)
  expect(web).toEqual(expected)
})

test('stands between plain Node streams in pipeline(), with backpressure', async () => {
  const got: number[] = []
  const slow = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (n, _, done) => {
      got.push(n)
      setImmediate(done)
    },
  })
  await nodePipeline(
    Readable.from([0, 1, 2, 3]),
    new Spread(3) as never,
    new Later() as never,
    slow,
  )
  expect(got).toEqual(Array.from({ length: 12 }, (_, n) => n))
})

test('an error in Node pipeline() destroys every neighbour, whichever side it comes from', async () => {
  for (const place of ['before', 'after'] as const) {
    const source = Readable.from([1, 2, 3])
    const stages = [new Spread(2), new Later()]
    const failing = new Writable({
      objectMode: true,
      write: (_n, _e, done) => done(place === 'after' ? new Error('disk') : null),
    })
    if (place === 'before') queueMicrotask(() => source.destroy(new Error('disk')))
    await expect(
      nodePipeline(source, stages[0] as never, stages[1] as never, failing),
    ).rejects.toThrow('disk')
    expect([source, ...stages, failing].map(stream => stream.destroyed)).toEqual([
      true,
      true,
      true,
      true,
    ])
  }
})

test('exactly one terminal event: end, then close', async () => {
  const events: string[] = []
  const stage = new Spread(1)
  for (const event of ['end', 'error', 'close'] as const) stage.on(event, () => events.push(event))
  stage.write(1)
  stage.end()
  stage.resume()
  await settle()
  stage.destroy(new Error('late'))
  expect(events).toEqual(['end', 'close'])
  expect(stage.released).toBe(1)
})

test('exactly one terminal event: one typed error, foreign errors as its cause', async () => {
  class Broken extends Stage<number, number> {
    protected override transform(): never {
      throw new RangeError('boom')
    }
  }
  const stage = new Broken()
  const errors: unknown[] = []
  let ends = 0
  stage.on('error', error => errors.push(error))
  stage.on('end', () => ends++)
  stage.write(1)
  expect(stage.write(2)).toBe(false)
  stage.destroy(new Error('another'))
  stage.end()
  await settle()
  expect(errors).toMatchObject([{ code: 'STAGE_FAILED', context: { stage: 'Broken' } }])
  expect((errors[0] as Error).cause).toBeInstanceOf(RangeError)
  expect(ends).toBe(0)
})

test('write after end is a typed error', () => {
  const stage = new Spread(1)
  let failure: unknown
  stage.on('error', error => {
    failure = error
  })
  stage.write(1)
  stage.end()
  stage.write(2)
  expect(failure).toMatchObject({ code: 'STAGE_WRITE_AFTER_END' })
})

test('leaving a loop early destroys the stage and closes what it was doing', async () => {
  let closed = false
  class Endless extends Source<number> {
    protected override async *produce() {
      try {
        for (let n = 0; ; n++) {
          await settle()
          yield n
        }
      } finally {
        closed = true
      }
    }
  }
  const source = new Endless()
  for await (const n of source) if (n === 3) break
  await settle()
  await settle()
  expect([source.destroyed, closed]).toEqual([true, true])
})

test('destroying a stage that waits aborts its signal and rejects its reader with a typed error', async () => {
  class Waiting extends Source<number> {
    protected override async *produce(): AsyncGenerator<number> {
      await new Promise((_, reject) =>
        this.signal.addEventListener('abort', () => reject(this.signal.reason)),
      )
    }
  }
  const source = new Waiting()
  const reading = (async () => {
    for await (const _ of source);
  })()
  setImmediate(() => source.destroy())
  await expect(reading).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
})

test('a source does nothing before a reader asks, and stops pulling behind a paused reader', async () => {
  const source = new Count(1000)
  await settle()
  expect(source.made).toEqual([])
  source.on('data', () => source.pause())
  await settle()
  expect(source.made.length).toBeLessThanOrEqual(2)
})

test('counters add up', async () => {
  class Blocks extends Stage<number, Uint8Array> {
    protected override *transform(n: number) {
      yield new Uint8Array(n)
      yield new Uint8Array(n)
    }
  }
  const stage = new Blocks()
  const reading = stage.collect()
  for (const n of [1, 2, 3]) stage.write(n)
  stage.end()
  await reading
  expect(stage.counters).toMatchObject({
    stage: 'Blocks',
    itemsIn: 3,
    itemsOut: 6,
    bytesIn: 0,
    bytesOut: 12,
    rowsOut: 0,
  })
  expect(stage.used).toBe(true)
  expect(new Blocks().used).toBe(false)
})

test('a FeedError passes through unchanged', async () => {
  const error = new FeedError('GZIP_EMPTY', 'nothing', { byteOffset: 0 })
  class Failing extends Stage<number, number> {
    protected override transform(n: number) {
      return [n]
    }
    protected override flush(): never {
      throw error
    }
  }
  const stage = new Failing()
  const reading = (async () => {
    for await (const _ of stage);
  })()
  stage.end()
  await expect(reading).rejects.toBe(error)
})

test('an item that is null is a typed error: a reader could not tell it from nothing', async () => {
  class Nothing extends Stage<number, number | null> {
    protected override *transform(n: number) {
      yield n
      yield null
    }
  }
  const stage = new Nothing()
  stage.end(1)
  const seen: unknown[] = []
  const reading = (async () => {
    for await (const item of stage) seen.push(item)
  })()
  await expect(reading).rejects.toMatchObject({
    code: 'STAGE_FAILED',
    context: { stage: 'Nothing' },
  })
  expect(seen).toEqual([1])
})

test('a stage that destroys itself in its own work has one terminal event, and closes that work', async () => {
  for (const how of ['transform', 'sequence', 'asynchronous sequence']) {
    const events: string[] = []
    class Destroyer extends Stage<number, number> {
      protected override transform(n: number) {
        if (how === 'sequence') return this.#sequence(n)
        if (how === 'asynchronous sequence') return this.#later(n)
        this.destroy(new FeedError('STATE_LIMIT', 'enough', { option: 'test', limit: n }))
        return [n]
      }
      *#sequence(n: number) {
        try {
          this.destroy(new FeedError('STATE_LIMIT', 'enough', { option: 'test', limit: n }))
          yield n
        } finally {
          events.push('closed')
        }
      }
      async *#later(n: number) {
        try {
          this.destroy(new FeedError('STATE_LIMIT', 'enough', { option: 'test', limit: n }))
          yield n
        } finally {
          events.push('closed')
        }
      }
    }
    const stage = new Destroyer()
    stage.on('error', error => events.push((error as FeedError).code))
    stage.on('close', () => events.push('close'))
    stage.on('data', () => events.push('data'))
    stage.write(1)
    await settle()
    const closed = how === 'transform' ? [] : ['closed']
    expect(events, how).toEqual(['STATE_LIMIT', 'close', ...closed])
    expect(stage.failure?.code).toBe('STATE_LIMIT')
  }
})

test('a release that throws does not hold back the terminal event', () => {
  const events: string[] = []
  class BadRelease extends Spread {
    protected override release() {
      throw new TypeError('release')
    }
  }
  const stage = new BadRelease(1)
  stage.on('error', error => events.push((error as FeedError).code))
  stage.on('close', () => events.push('close'))
  stage.destroy(new FeedError('STATE_LIMIT', 'enough', { option: 'test', limit: 1 }))
  expect(events).toEqual(['STATE_LIMIT', 'close'])
})

test('Duplex.from takes a stage for what is written and read, and Duplex.toWeb refuses it at once', async () => {
  const from = Duplex.from as (stage: unknown) => Duplex
  const doubled = new Spread(2)
  expect(from(doubled)).toBe(doubled)
  const written: unknown[] = []
  const sink = new Writable({
    objectMode: true,
    write: (item, _, done) => done(void written.push(item) as undefined),
  })
  await nodePipeline(Readable.from([1, 2]), from(doubled), sink)
  expect(written).toEqual([2, 3, 4, 5])
  expect(() => Duplex.toWeb(from(new Spread(1)))).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }),
  )
})
