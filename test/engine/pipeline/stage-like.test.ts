// The kinds of steps that `Pipeline.to` takes: the same function gives the same outputs and errors
// as each of them, each keeps the laws of a stage, and each ends as its own kind does.
// Long: its properties and laws run every kind.

import { Duplex, PassThrough, Readable, Transform } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import type { StageLike } from '../../../src/engine/pipeline/stage-like'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { describeLaws, type StageUnderLaw } from '../stages/laws'
import { FOREIGN, KINDS, NAME, stageOfStep } from './stage-kinds'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn()
}

interface Ended {
  readonly outputs: readonly unknown[]
  readonly error: object | undefined
  readonly counted: readonly unknown[]
}

/** The outputs, the error and the counters of a step over `inputs`. */
async function endOf(inputs: readonly number[], step: StageLike<number, number>): Promise<Ended> {
  const outputs: unknown[] = []
  let counted: readonly unknown[] = []
  let error: object | undefined
  const options = {
    onSettled: ({ stages }: { stages: readonly Record<string, unknown>[] }) => {
      counted = stages.map(({ stage, itemsIn, itemsOut }) => [stage, itemsIn, itemsOut])
    },
  }
  try {
    for await (const output of pipeline(inputs, options as never)
      .to(step)
      .batches())
      outputs.push(output)
  } catch (failure) {
    if (!FeedError.is(failure)) throw failure
    const { code, message, context, cause } = failure
    error = { code, message, context, cause }
  }
  return { outputs, error, counted }
}

describe('the same function as each kind of step', () => {
  const bug = new RangeError('a negative number')
  const outputsOf = (item: number) => {
    if (item < 0) throw bug
    return Array.from({ length: item % 4 }, (_, n) => item * 10 + n)
  }

  test.each(Object.keys(KINDS))('%s gives the same outputs, error and counters', async kind => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 12 }),
        async inputs => {
          const failsAt = inputs.indexOf(-1)
          const good = failsAt < 0 ? inputs : inputs.slice(0, failsAt)
          const expected = good.flatMap(outputsOf)
          const { outputs, error, counted } = await endOf(inputs, KINDS[kind]!(outputsOf))
          expect(outputs).toEqual(expected)
          expect(error).toEqual(
            failsAt < 0
              ? undefined
              : {
                  code: 'STAGE_FAILED',
                  message: `${NAME}: a negative number`,
                  context: { stage: NAME },
                  cause: bug,
                },
          )
          if (failsAt < 0)
            expect(counted).toEqual([
              ['source', 0, inputs.length],
              [NAME, inputs.length, expected.length],
            ])
        },
      ),
      { numRuns: 40 },
    )
  })

  test.each(Object.keys(KINDS))(
    '%s passes the error of a stage before it unchanged',
    async kind => {
      const failure = new FeedError('STATE_LIMIT', 'full', { option: 'test', limit: 1 })
      async function* failing() {
        yield 1
        throw failure
      }
      const run = pipeline(failing).to(KINDS[kind]!(outputsOf)).toArray()
      await expect(run).rejects.toBe(failure)
    },
  )

  test.each(Object.keys(KINDS))('%s is stopped by take, and stops its source', async kind => {
    let given = 0
    let isOver = false
    async function* endless() {
      try {
        for (;;) yield ++given
      } finally {
        isOver = true
      }
    }
    const step = KINDS[kind]!((item: number) => [item])
    expect(await pipeline(endless).to(step).take(3).toArray()).toEqual([1, 2, 3])
    await turns(3)
    expect(isOver).toBe(true)
    expect(given).toBeLessThan(10)
  })

  test.each(Object.keys(KINDS))(
    '%s holds no more than a few items behind a slow reader',
    async kind => {
      let given = 0
      function* endless() {
        for (;;) yield ++given
      }
      let used = 0
      const reading = pipeline(endless)
        .to(KINDS[kind]!((item: number) => [item, item]))
        .forEach(async () => {
          await turns(2)
          if (++used === 40) throw new RangeError('enough')
          expect(given - used / 2).toBeLessThan(6)
        })
      await expect(reading).rejects.toMatchObject({ message: 'pipeline: enough' })
    },
  )
})

/** Each foreign kind under the laws of a stage, over numbers that are cut into arrays. */
const NUMBERS = Array.from({ length: 300 }, (_, n) => n)
const cutNumbers = (cuts: readonly number[]) => {
  const size = 1 + ((cuts[0] ?? 30) % 80)
  return Array.from({ length: Math.ceil(NUMBERS.length / size) }, (_, n) =>
    NUMBERS.slice(n * size, (n + 1) * size),
  )
}
for (const kind of FOREIGN)
  describeLaws({
    name: kind,
    make: () =>
      stageOfStep(KINDS[kind]!((block: readonly number[]) => [block.map(number => number * 2)])),
    input: cutNumbers,
    content: (outputs: number[][]) => outputs.flat(),
    held: {
      cap: 4,
      of: stage => stage.counters.itemsIn,
      *endless() {
        for (;;) yield NUMBERS
      },
    },
    empty: 'end',
    *prefixes() {
      const all = cutNumbers([])
      for (let n = 0; n <= all.length; n++) yield { input: all.slice(0, n), ends: ['end' as const] }
    },
  } satisfies StageUnderLaw<readonly number[], number[]>)

describe('an async generator', () => {
  test('runs its finally when the run stops, and sees no end of its items', async () => {
    const seen: string[] = []
    const abort = new AbortController()
    const run = pipeline(
      async function* () {
        yield 1
        await new Promise(() => {})
      },
      { signal: abort.signal },
    )
      .to(async function* waits(items, signal) {
        signal.addEventListener('abort', () => seen.push('signal'))
        try {
          for await (const item of items) yield item
          seen.push('end')
        } finally {
          seen.push('finally')
        }
      })
      .forEach(() => void setImmediate(() => abort.abort()))
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
    await turn()
    expect(seen).toEqual(['signal', 'finally'])
  })

  test('that returns before its input ends the run well, with what it gives after its loop', async () => {
    let given = 0
    const run = pipeline(function* () {
      for (;;) yield ++given
    }).to(async function* (items) {
      for await (const item of items) {
        yield item
        if (item === 2) break
      }
      yield 100
    })
    expect(await run.toArray()).toEqual([1, 2, 100])
    expect(given).toBeLessThan(5)
  })

  test('may ask for items ahead, and gets each once', async () => {
    const run = pipeline([1, 2, 3]).to(async function* (items) {
      const iterator = items[Symbol.asyncIterator]()
      const steps = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
      yield steps.map(({ value }) => value)
      yield [(await iterator.next()).done]
    })
    expect(await run.toArray()).toEqual([1, 2, 3, true])
  })

  test('that filters a long input gives what it keeps', async () => {
    const run = pipeline(function* () {
      for (let n = 0; n < 5_000; n++) yield n
    }).to(async function* (items) {
      for await (const item of items) if (item % 4_000 === 0) yield item
    })
    expect(await run.toArray()).toEqual([0, 4_000])
  })

  test('keeps the blocks that a stage before it lends to other stages', async () => {
    const text = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `${n} `).join(''))
    const kept: Uint8Array[] = []
    await pipeline([gzipSync(text)])
      .to(new Gunzip({ worker: false }))
      .to(async function* (blocks) {
        for await (const block of blocks) yield kept.push(block)
      })
      .toArray()
    expect(kept.length).toBeGreaterThan(2)
    expect(Buffer.concat(kept).equals(text)).toBe(true)
  })

  test('is made for each run, so that the pipeline can run again', async () => {
    const sums = pipeline([1, 2, 3]).to(async function* (items) {
      let sum = 0
      for await (const item of items) sum += item
      yield sum
    })
    expect([await sums.toArray(), await sums.toArray()]).toEqual([[6], [6]])
  })

  test('that is not async is refused, with what to do', async () => {
    function* notAsync() {
      yield 1
    }
    const run = pipeline([1]).to(notAsync as never)
    await expect(run.toArray()).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('a generator that waits for its items is async'),
    })
  })
})

describe('a Transform of Node', () => {
  test('over bytes works between stages', async () => {
    const text = 'a\tb\n1\t2\n'
    const rows = await pipeline([gzipSync(text)])
      .to<Uint8Array>(() => createGunzip())
      .to(new TsvRowParser())
      .toArray()
    expect(rows.map(row => row.toStrings())).toEqual([{ a: '1', b: '2' }])
    const whole = Buffer.from('x'.repeat(300_000))
    const blocks = await pipeline([gzipSync(whole)])
      .to<Buffer>(createGunzip())
      .toArray()
    expect(Buffer.concat(blocks).equals(whole)).toBe(true)
  })

  test('that fails on the input, or on its end, fails the run with its name', async () => {
    const failed = { code: 'STAGE_FAILED', context: { stage: 'Gunzip' } }
    const damaged = gzipSync('abc').fill(1, 12)
    await expect(pipeline([damaged]).to(createGunzip()).toArray()).rejects.toMatchObject(failed)
    const cut = gzipSync('abc').subarray(0, 15)
    await expect(pipeline([cut]).to(createGunzip()).toArray()).rejects.toMatchObject(failed)
  })

  test('that is destroyed from outside is STAGE_DESTROYED; one destroyed with an error has that error', async () => {
    for (const [error, expected] of [
      [undefined, { code: 'STAGE_DESTROYED', context: { stage: 'PassThrough' } }],
      [new RangeError('out'), { code: 'STAGE_FAILED', context: { stage: 'PassThrough' } }],
    ] as const) {
      const step = new PassThrough({ objectMode: true })
      const run = pipeline(function* () {
        for (let n = 0; ; n++) yield n
      })
        .to<number>(step)
        .forEach(n => {
          if (n === 3) step.destroy(error)
        })
      await expect(run).rejects.toMatchObject(expected)
    }
  })

  test('that ends before its input ends the run well and is destroyed', async () => {
    const step = new Transform({
      objectMode: true,
      transform(item, _encoding, done) {
        this.push(item)
        if (item === 2) this.push(null)
        done()
      },
    })
    const run = pipeline(function* () {
      for (let n = 1; ; n++) yield n
    }).to<number>(step)
    expect(await run.toArray()).toEqual([1, 2])
    expect(step.destroyed).toBe(true)
  })

  test.each([
    ['never calls back', () => {}],
    ['never ends', undefined],
  ])('that %s is destroyed at abort', async (_, transform) => {
    const step = new Transform({
      objectMode: true,
      transform: transform ?? ((_item, _encoding, done) => done()),
      flush: () => {},
    })
    const abort = new AbortController()
    const run = pipeline([1, 2], { signal: abort.signal }).to(step).toArray()
    await turn()
    abort.abort()
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
    expect(step.destroyed).toBe(true)
  })

  test('whose write side fails after its outputs have ended fails the run', async () => {
    const step = new Duplex({
      objectMode: true,
      read() {},
      write: (_item, _encoding, done) => done(),
      final(done) {
        this.push(null)
        setImmediate(() => done(new RangeError('not stored')))
      },
    })
    await expect(pipeline([1]).to(step).toArray()).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      context: { stage: 'Duplex' },
    })
  })

  test('serves one run, and one place in a chain', async () => {
    const step = new PassThrough({ objectMode: true })
    const reused = { code: 'STAGE_REUSED', context: { stage: 'PassThrough' } }
    await expect(pipeline([1]).to(step).to(step).toArray()).rejects.toMatchObject(reused)
    const ended = new PassThrough({ objectMode: true })
    ended.end()
    await expect(pipeline([1]).to(ended).toArray()).rejects.toMatchObject(reused)
  })

  test('over bytes that is given objects says what it takes', async () => {
    await expect(
      pipeline([{ a: 1 }])
        .to(createGunzip())
        .toArray(),
    ).rejects.toMatchObject({
      code: 'STAGE_INPUT_INVALID',
      message: 'Gunzip takes blocks of bytes (Uint8Array) or text, and was given an object with a',
    })
  })
})

describe('a web TransformStream', () => {
  test('decodes and compresses between stages', async () => {
    const run = pipeline([gzipSync('äöü')])
      .to<Uint8Array>(new DecompressionStream('gzip'))
      .to(new TextDecoderStream())
    expect((await run.toArray()).join('')).toBe('äöü')
  })

  test('has both sides cancelled at abort', async () => {
    const seen: unknown[] = []
    const readable = new ReadableStream<number>({ cancel: () => void seen.push('cancelled') })
    const writable = new WritableStream<number>({ abort: () => void seen.push('aborted') })
    const abort = new AbortController()
    async function* waits() {
      yield 1
      await new Promise(() => {})
    }
    const step = { readable, writable }
    const run = pipeline(waits, { signal: abort.signal }).to(step).toArray()
    await turn()
    abort.abort()
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
    await turn()
    expect(seen.toSorted()).toEqual(['aborted', 'cancelled'])
  })

  test('that terminates ends the run well; one whose flush fails fails it', async () => {
    const terminating = new TransformStream<number, number>({
      transform(item, controller) {
        controller.enqueue(item)
        if (item === 2) controller.terminate()
      },
    })
    const numbers = function* () {
      for (let n = 1; ; n++) yield n
    }
    expect(await pipeline(numbers).to(terminating).toArray()).toEqual([1, 2])
    const failing = new TransformStream<number, number>({
      flush() {
        throw new RangeError('flush')
      },
    })
    await expect(pipeline([1]).to(failing).toArray()).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      message: 'TransformStream: flush',
    })
  })

  test('whose write side fails alone fails the run', async () => {
    const writable = new WritableStream<number>({
      write() {
        throw new RangeError('full')
      },
    })
    const run = pipeline([1]).to({ readable: new ReadableStream<number>(), writable })
    await expect(run.toArray()).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      message: 'stream: full',
    })
  })

  test('serves one run', async () => {
    const step = new TransformStream<number, number>()
    await pipeline([1]).to(step).toArray()
    await expect(pipeline([1]).to(step).toArray()).rejects.toMatchObject({ code: 'STAGE_REUSED' })
  })
})

describe('misuse of to', () => {
  test.each([
    ['a class', Gunzip],
    ['a Readable', Readable.from([])],
    ['an iterable', [1]],
    ['a generator object', (async function* () {})()],
    ['half a pair', { readable: new ReadableStream() }],
  ])('%s is OPTION_INVALID at the call', (_, step) => {
    expect(() => pipeline([1]).to(step as never)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'step' }),
      }),
    )
  })

  test.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['a promise', async () => new Gunzip()],
    ['a promise that fails', () => Promise.reject(new RangeError('late'))],
    ['an array', () => [1]],
  ])('a function that gives %s is OPTION_INVALID in the run', async (_, step) => {
    await expect(
      pipeline([1])
        .to(step as never)
        .toArray(),
    ).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'step()' },
    })
  })
})
