// `mapAsync`: the order of results, the number of calls at a time, and what a failure does.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn()
}

/** Arrays of numbers, each with the number of turns that its call takes; 0 is no promise at all. */
const batches = fc.array(
  fc.array(fc.record({ value: fc.nat(), turns: fc.nat(4) }), { maxLength: 6 }),
  { maxLength: 5 },
)

test('ordered results are those of map, unordered ones the same in any order, within the concurrency', async () => {
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.integer({ min: 1, max: 5 }),
      fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      fc.boolean(),
      async (input, concurrency, maxResults, ordered) => {
        let running = 0
        let most = 0
        let called = 0
        let passed = 0
        let mostHeld = 0
        const use = (element: { value: number; turns: number }) => {
          mostHeld = Math.max(mostHeld, ++called - passed)
          if (element.turns === 0) return element.value
          most = Math.max(most, ++running)
          return turns(element.turns).then(() => {
            running--
            return element.value
          })
        }
        const options = { concurrency, ordered, ...(maxResults && { maxResults }) }
        const results: number[] = []
        for await (const some of pipeline(input).mapAsync(use, options).batches()) {
          passed += some.length
          results.push(...some)
        }
        const expected = input.flat().map(({ value }) => value)
        const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
        expect(ordered ? results : sorted(results)).toEqual(ordered ? expected : sorted(expected))
        expect(most).toBeLessThanOrEqual(concurrency)
        const bound = maxResults ?? (ordered ? 8 : 1) * concurrency
        expect(mostHeld).toBeLessThanOrEqual(bound)
      },
    ),
    { numRuns: 60 },
  )
})

test('calls go on over the border between two items', async () => {
  let running = 0
  let most = 0
  await pipeline([[1], [2], [3], [4], [5]])
    .mapAsync(
      async () => {
        most = Math.max(most, ++running)
        await turns(3)
        running--
      },
      { concurrency: 3 },
    )
    .toArray()
  expect(most).toBe(3)
})

test.each([true, false])('a stopped reader bounds the calls (ordered: %s)', async ordered => {
  let calls = 0
  const iterator = pipeline(function* () {
    for (;;) yield [1, 2, 3]
  })
    .mapAsync(async () => ++calls, { concurrency: 4, ordered, maxResults: 6 })
    .batches()
  const { value } = await iterator.next()
  await turns(20)
  // The results that were read, the window, and one array that was made ahead with its window.
  expect(calls).toBeLessThanOrEqual(value!.length + 2 * 6)
  await iterator.return()
})

test.each([
  [{ concurrency: 2 }, 16],
  [{ concurrency: 1 }, 1],
  [{ concurrency: 2, maxResults: 5 }, 5],
  [{ concurrency: 4, maxResults: 3 }, 3],
  [{ concurrency: 3, maxResults: 3 }, 3],
])(
  'in order, done results that wait for a slow call leave its place to others, up to maxResults (%j)',
  async (options, most) => {
    let finish = () => {}
    const slow = new Promise<void>(resolve => {
      finish = resolve
    })
    const called: number[] = []
    let running = 0
    let mostRunning = 0
    let read = 0
    const run = pipeline(function* () {
      for (let n = 1; n <= 40; n++) {
        read = n
        yield [n]
      }
    })
      .mapAsync(async n => {
        called.push(n)
        mostRunning = Math.max(mostRunning, ++running)
        await (n === 1 ? slow : turn())
        running--
        return n
      }, options)
      .toArray()
    await turns(100)
    expect(called).toEqual(Array.from({ length: most }, (_, n) => n + 1))
    // One element waits for a place.
    expect(read).toBe(most + 1)
    finish()
    expect(await run).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect(mostRunning).toBeLessThanOrEqual(options.concurrency)
  },
)

test('unordered results overtake a slow call', async () => {
  let finish = () => {}
  const slow = new Promise<void>(resolve => {
    finish = resolve
  })
  const seen: number[] = []
  await pipeline([[1, 2, 3, 4]])
    .mapAsync(n => (n === 1 ? slow.then(() => n) : n), { concurrency: 2, ordered: false })
    .forEach(n => {
      seen.push(n)
      if (seen.length === 3) finish()
    })
  expect(seen).toEqual([2, 3, 4, 1])
})

describe('a failure of a call', () => {
  const bug = new RangeError('bug')
  const failed = { code: 'STAGE_FAILED', context: { stage: 'mapAsync' }, cause: bug }

  test.each([true, false])(
    'ends the run at once, aborts the signal and makes no other call (ordered: %s)',
    async ordered => {
      const called: number[] = []
      const aborted: number[] = []
      const run = pipeline([[1, 2, 3, 4, 5, 6]])
        .mapAsync(
          (n, signal) => {
            called.push(n)
            if (n === 2) return turn().then(() => Promise.reject(bug))
            return new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                aborted.push(n)
                reject(signal.reason)
              })
            })
          },
          { concurrency: 3, ordered },
        )
        .toArray()
      await expect(run).rejects.toMatchObject(failed)
      await turns(3)
      expect([called, aborted]).toEqual([
        [1, 2, 3],
        [1, 3],
      ])
    },
  )

  test('that is thrown and not a rejection has the same error; a FeedError passes unchanged', async () => {
    const throwing = () => {
      throw bug
    }
    await expect(pipeline([1]).mapAsync(throwing).toArray()).rejects.toMatchObject(failed)
    const nothing = () => Promise.reject()
    await expect(pipeline([1]).mapAsync(nothing).toArray()).rejects.toMatchObject({
      code: 'STAGE_FAILED',
    })
    const limit = new FeedError('STATE_LIMIT', 'full', { option: 'test', limit: 1 })
    const rejecting = () => Promise.reject(limit)
    await expect(pipeline([1]).mapAsync(rejecting).toArray()).rejects.toBe(limit)
  })

  test('after the run has ended is not an unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const hear = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', hear)
    try {
      const late = pipeline([[1, 2, 3]]).mapAsync(n => turns(n).then(() => Promise.reject(bug)))
      await expect(late.toArray()).rejects.toMatchObject(failed)
      await turns(6)
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', hear)
    }
  })
})

test('each call has a signal of its own, which ends with the run while the call runs', async () => {
  const abort = new AbortController()
  const signals: AbortSignal[] = []
  const run = pipeline([[1, 2, 3, 4]], { signal: abort.signal })
    .mapAsync(
      (n, signal) => {
        signals.push(signal)
        return n < 3 ? n : new Promise(() => {})
      },
      { concurrency: 4 },
    )
    .toArray()
  await turns(3)
  abort.abort()
  await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
  expect(new Set(signals).size).toBe(4)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true, true])
})

test('abort ends a run whose calls never end', async () => {
  const abort = new AbortController()
  let isAborted = false
  const run = pipeline([1], { signal: abort.signal })
    .mapAsync((_, signal) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return new Promise(() => {})
    })
    .toArray()
  await turn()
  abort.abort()
  await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
  expect(isAborted).toBe(true)
})

test.each([
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: 10_001 }],
  ['concurrency', { concurrency: Number.POSITIVE_INFINITY }],
  ['maxResults', { maxResults: 0 }],
  ['maxResults', { maxResults: 1_000_001 }],
  ['ordered', { ordered: 1 }],
  ['order', { order: true }],
])('the option %s is refused at the call', (option, options) => {
  expect(() => pipeline([1]).mapAsync(n => n, options as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
