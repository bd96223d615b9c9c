// An aborted run ends within a second, whatever hangs: a source, a step, a sink at any of its calls.
// What hangs may return later, and then nothing that it has opened is left.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Transform } from 'node:stream'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  byteSink,
  concat,
  type FeedError,
  type Pipeline,
  pipeline,
  type Sink,
  Source,
  Stage,
  tee,
} from '../../../src/index'

const folder = await mkdtemp(join(tmpdir(), 'feedmill-abort-'))
afterAll(() => rm(folder, { recursive: true }))

/** A second, and what a busy machine takes. */
const BOUND_MS = 1_500
const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** A call that never returns, until the test lets it. */
class Hang {
  readonly #let: (() => void)[] = []
  readonly call = () => new Promise<void>(resolve => this.#let.push(resolve))
  letGo() {
    for (const resolve of this.#let.splice(0)) resolve()
  }
}

const CALLS = ['open', 'write', 'prepare', 'commit', 'abort'] as const
type Call = (typeof CALLS)[number]

/** A sink that holds a handle from `open`, or its first write, until its commit or its abort. */
class HoldingSink implements Sink<unknown> {
  readonly name = 'holding'
  held = 0
  committed = 0
  readonly calls: string[] = []
  readonly #hangs: readonly Call[]
  readonly #hang: Hang
  readonly #opensLate: boolean

  constructor(hangs: readonly Call[], hang: Hang, opensLate = false) {
    this.#hangs = hangs
    this.#hang = hang
    this.#opensLate = opensLate
  }

  async open() {
    if (!this.#opensLate) this.held = 1
    await this.#called('open')
    this.held = 1
  }

  readonly write = async () => {
    await this.#called('write')
    this.held = 1
  }

  prepare = () => this.#called('prepare')

  async commit() {
    await this.#called('commit')
    this.committed++
    this.held = 0
  }

  async abort() {
    await this.#called('abort')
    this.held = 0
  }

  async #called(call: Call) {
    this.calls.push(call)
    if (this.#hangs.includes(call)) await this.#hang.call()
  }
}

async function* numbers(count = 3) {
  for (let n = 0; n < count; n++) {
    await undefined
    yield [n]
  }
}

class Hanging extends Stage<unknown, unknown> {
  readonly #hang: Hang
  constructor(hang: Hang) {
    super('Hanging')
    this.#hang = hang
  }
  protected override async *transform(item: unknown) {
    await this.#hang.call()
    yield item
  }
}

/** Its last work never ends. */
class Lingering extends Stage<unknown, unknown> {
  readonly #hang: Hang
  constructor(hang: Hang) {
    super('Lingering')
    this.#hang = hang
  }
  protected override transform(item: unknown) {
    return [item]
  }
  protected override release() {
    return this.#hang.call()
  }
}

class HangingSource extends Source<unknown> {
  readonly #hang: Hang
  constructor(hang: Hang) {
    super('HangingSource')
    this.#hang = hang
  }
  protected override async *produce() {
    yield [1]
    await this.#hang.call()
    yield [2]
  }
}

type Any = Pipeline<unknown>
type Options = { signal: AbortSignal }
/** What may hang in front of the sink, each by its name. */
const CHAINS: Record<string, (hang: Hang, options: Options) => Any> = {
  nothing: (_, options) => pipeline(numbers(), options),
  'a generator as source': (hang, options) =>
    pipeline(async function* () {
      yield [1]
      await hang.call()
    }, options),
  'a source that hangs in next and return': (hang, options) =>
    pipeline(
      {
        [Symbol.asyncIterator]: () => ({
          next: () => hang.call().then(() => ({ done: true as const, value: undefined })),
          return: () => hang.call().then(() => ({ done: true as const, value: undefined })),
        }),
      } as AsyncIterable<unknown>,
      options,
    ),
  'a source stage': (hang, options) => pipeline(new HangingSource(hang), options),
  'a web stream': (hang, options) =>
    pipeline(new ReadableStream({ pull: hang.call, cancel: hang.call }), options),
  'a stage': (hang, options) => pipeline(numbers(), options).to(() => new Hanging(hang)),
  'the last work of a stage': (hang, options) =>
    pipeline(numbers(), options).to(() => new Lingering(hang)),
  'a generator as step': (hang, options) =>
    pipeline(numbers(), options).to(async function* (items) {
      for await (const item of items) {
        await hang.call()
        yield item
      }
    }),
  'a Transform of Node': (_, options) =>
    pipeline(numbers(), options).to(
      () => new Transform({ objectMode: true, transform() {}, destroy() {} }),
    ),
  'a web TransformStream': (hang, options) =>
    pipeline(numbers(), options).to(
      () => new TransformStream<number[], number[]>({ transform: hang.call }),
    ),
  map: (hang, options) => pipeline(numbers(), options).map(hang.call),
  mapAsync: (hang, options) => pipeline(numbers(), options).mapAsync(hang.call),
  validate: (hang, options) =>
    pipeline(numbers(), options).validate({
      '~standard': {
        version: 1,
        vendor: 'hangs',
        validate: async () => ({ value: await hang.call() }),
      },
    }),
  tap: (hang, options) => pipeline(numbers(), options).tap(hang.call),
  'a pipeline within': (hang, options) =>
    concat([pipeline(numbers()).to(() => new Lingering(hang))], options),
}

interface Case {
  readonly chain: string
  readonly hangs: readonly Call[]
  readonly opensLate: boolean
  readonly inTee: boolean
  readonly delayMs: number
  readonly letGoMs: number
}

const cases: fc.Arbitrary<Case> = fc.record({
  chain: fc.oneof(fc.constant('nothing'), fc.constantFrom(...Object.keys(CHAINS))),
  hangs: fc.oneof(
    fc.constantFrom(...CALLS).map(call => [call]),
    fc.subarray([...CALLS], { maxLength: 2 }),
  ),
  opensLate: fc.boolean(),
  inTee: fc.boolean(),
  delayMs: fc.constantFrom(0, 1, 3, 10, 40),
  letGoMs: fc.constantFrom(0, 50, 150, 250, 500, 1_200),
})

let files = 0

async function ends(given: Case): Promise<void> {
  const hang = new Hang()
  const abort = new AbortController()
  const sink = new HoldingSink(given.hangs, hang, given.opensLate)
  const other = new HoldingSink([], hang)
  const place = join(folder, String(files++))
  const file = fileSink(place)
  let settled: FeedError | undefined | null = null
  const onSettled = (_: unknown, error?: FeedError) => {
    settled = error
  }
  const options = { signal: abort.signal, onSettled }
  const run = CHAINS[given.chain]!(hang, options)
    .run(given.inTee ? tee([sink, other, file]) : sink)
    .then(
      () => undefined,
      (error: FeedError) => error,
    )
  await sleep(given.delayMs)
  const abortedAt = performance.now()
  const isTooLate = sink.calls.includes('commit')
  abort.abort(new RangeError('enough'))
  const letting = sleep(given.letGoMs).then(() => hang.letGo())
  const error = await Promise.race([run, sleep(BOUND_MS * 2).then(() => 'never' as const)])
  const tookMs = performance.now() - abortedAt
  expect(error).not.toBe('never')
  if (error === 'never') return
  expect(tookMs).toBeLessThan(BOUND_MS)
  expect(settled).toBe(error)
  const wasInCommit = sink.calls.includes('commit') && given.hangs.includes('commit')
  if (error === undefined) expect([sink.committed, isTooLate]).toEqual([1, true])
  else {
    expect(error).toMatchObject({ code: 'ABORTED', retryable: false, cause: { message: 'enough' } })
    expect('mayBeCommitted' in error.context).toBe(wasInCommit)
    if (wasInCommit) expect(error.message).toContain('may have been committed')
    else expect(sink.committed).toBe(0)
    if (given.hangs.includes('abort') && sink.calls.includes('abort') && given.letGoMs > 1_000)
      expect(error.message).toContain(
        `${given.inTee ? 'tee' : 'holding'} has not returned from its`,
      )
  }
  const before = other.calls.length
  await letting
  // Calls that came back may lead to others that hang.
  for (let n = 0; n < 10; n++) {
    await sleep(2)
    hang.letGo()
  }
  expect([sink.held, other.held, sink.calls]).toEqual([0, 0, sink.calls])
  expect(other.calls.slice(before).filter(call => call !== 'abort')).toEqual([])
  expect(other.committed).toBe(given.inTee && error === undefined ? 1 : 0)
  if (error !== undefined && !wasInCommit) expect(sink.calls).not.toContain('commit')
  const names = (await readdir(folder)).filter(name => name.startsWith(`${basename(place)}.`))
  expect(names).toEqual(given.inTee && error === undefined ? [`${basename(place)}.out`] : [])
}

/** A file sink beside the one that hangs. */
function fileSink(place: string): Sink<unknown> {
  const sink = byteSink(`${place}.out`)
  return { ...sink, write: () => sink.write(Buffer.from('1')) }
}

describe('fault 161: an aborted run', () => {
  test('ends within a second, whatever hangs, and leaves nothing open', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cases, { minLength: 20, maxLength: 60, size: 'max' }),
        // The cases of one round wait at the same time.
        all => Promise.all(all.map(ends)).then(() => {}),
      ),
      { numRuns: 12 },
    )
  }, 120_000)

  test('names what the sink of several has committed', async () => {
    const hang = new Hang()
    const abort = new AbortController()
    const sinks = [new HoldingSink([], hang), new HoldingSink(['commit'], hang)]
    const run = pipeline([1], { signal: abort.signal }).run(
      tee([...sinks, new HoldingSink([], hang)]),
    )
    await expect.poll(() => sinks[1]!.calls).toContain('commit')
    abort.abort()
    await expect(run).rejects.toMatchObject({
      code: 'ABORTED',
      context: { mayBeCommitted: true },
      message: expect.stringMatching(
        /sink 1 \(holding\) had committed; tee has not returned from its commit; .*may have been committed/,
      ),
    })
    hang.letGo()
  })

  test('leaves a sink that still hangs to no other run, until its call returns', async () => {
    const hang = new Hang()
    const sink = new HoldingSink(['write'], hang)
    const signal = AbortSignal.timeout(10)
    const message = /^the run was aborted; holding has not returned from its write$/
    await expect(pipeline([1], { signal }).run(sink)).rejects.toThrow(message)
    await expect(pipeline([1]).run(sink)).rejects.toMatchObject({
      code: 'SINK_FAILED',
      context: { sink: 'holding', reason: 'a call of an aborted run has not returned' },
    })
    hang.letGo()
    await sleep(5)
    const again = pipeline([1]).run(sink)
    await sleep(5)
    hang.letGo()
    await again
    expect([sink.held, sink.committed]).toEqual([0, 1])
  })

  test('that had failed before, and whose sink hangs in its abort, says both', async () => {
    const hang = new Hang()
    const sink = new HoldingSink(['abort'], hang)
    const failing = pipeline([1], { signal: AbortSignal.timeout(20) }).map(() => {
      throw new RangeError('broken')
    })
    await expect(failing.run(sink)).rejects.toMatchObject({
      code: 'ABORTED',
      message: 'the run was aborted; map: broken; holding has not returned from its abort',
      cause: { code: 'STAGE_FAILED' },
    })
    hang.letGo()
  })

  test('ends where the function of forEach hangs', async () => {
    const signal = AbortSignal.timeout(10)
    const run = pipeline([1], { signal }).forEach(() => new Promise(() => {}))
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
  })
})
