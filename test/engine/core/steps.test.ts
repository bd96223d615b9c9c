import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  DONE,
  isPromise,
  PAUSE,
  PAUSED,
  type Pause,
  type Step,
  Steps,
} from '../../../src/engine/core/steps'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { Source } from '../../../src/engine/stages/source'
import { Stage } from '../../../src/engine/stages/stage'

/** A sequence in which every second step is a promise. */
function upTo(end: number): Steps<number> {
  let n = 0
  return new Steps(() => {
    const step: Step<number> = n < end ? { done: false, value: n } : DONE
    return n++ % 2 === 0 ? step : Promise.resolve(step)
  })
}

test('a step is a value or a promise', async () => {
  const steps = upTo(2)
  expect(steps.next()).toEqual({ done: false, value: 0 })
  const second = steps.next()
  expect(isPromise(second)).toBe(true)
  expect(await second).toEqual({ done: false, value: 1 })
  expect(steps.next()).toBe(DONE)
})

test('a sequence of steps can be iterated like any other sequence', async () => {
  const seen: number[] = []
  for await (const n of upTo(5)) seen.push(n)
  expect(seen).toEqual([0, 1, 2, 3, 4])
  for await (const n of upTo(5)) if (n === 3) break
  for await (const _ of upTo(0)) expect.unreachable()
})

test('isPromise recognises promises', () => {
  expect(
    [Promise.resolve(), undefined, null, 7, {}].map(value => isPromise<unknown>(value)),
  ).toEqual([true, false, false, false, false])
})

// Tests that stages yield to the event loop for all kinds of outputs. The clock belongs to the
// test: each call of it is a millisecond later, so that no result depends on the speed of the
// machine.
// Long: it inflates much data to see that timers have their turn.

/** The time continues from test to test, as real time does. */
let now = performance.now()
let turns = 0
let counting: NodeJS.Immediate | undefined

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now++)
  turns = 0
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  counting = setImmediate(count)
})

afterEach(() => {
  clearImmediate(counting)
  vi.restoreAllMocks()
})

/** A stage that gives `steps` pauses and then one item. */
class Idle extends Source<string> {
  constructor(
    readonly steps: number,
    readonly kind: 'generator' | 'async generator' | 'steps',
  ) {
    super('Idle')
  }

  protected override produce(): AsyncIterable<string | Pause> | Iterable<string | Pause> {
    if (this.kind === 'generator') return this.#generate()
    return this.kind === 'steps' ? this.#step() : this.#generateLater()
  }

  *#generate(): Generator<string | Pause, void, void> {
    for (let n = 0; n < this.steps; n++) yield PAUSE
    yield 'item'
  }

  async *#generateLater(): AsyncGenerator<string | Pause, void, void> {
    yield* this.#generate()
  }

  #step(): Steps<string | Pause> {
    let n = 0
    return new Steps<string | Pause>(() => {
      n++
      if (n <= this.steps) return PAUSED
      return n === this.steps + 1 ? { done: false, value: 'item' } : DONE
    })
  }
}

class Drop extends Stage<number, number> {
  protected override transform(): undefined {
    return undefined
  }
}

test.each(['generator', 'async generator', 'steps'] as const)(
  'a %s that pauses lets the event loop turn, and a pause is no item',
  async kind => {
    const source = new Idle(1000, kind)
    const items: string[] = []
    for await (const item of source) items.push(item)
    expect(items).toEqual(['item'])
    expect(source.counters.itemsOut).toBe(1)
    expect(turns).toBeGreaterThan(10)
  },
)

test('fault 98: outputs that never wait, read by a loop that never waits, let the event loop turn', async () => {
  let read = 0
  for await (const n of pipeline(Array.from({ length: 1000 }, (_, n) => n)).batches())
    read += n - n + 1
  expect(read).toBe(1000)
  expect(turns).toBeGreaterThan(10)
})

test('fault 98: inputs that give nothing let the event loop turn, though their writer never waits', async () => {
  const stage = new Drop()
  for (let n = 0; n < 1000; n++) stage.write(n)
  stage.end()
  expect(await stage.collect()).toHaveLength(0)
  expect(turns).toBeGreaterThan(10)
})

test('a small input has its outputs before write returns', () => {
  for (let n = 0; n < 100; n++) performance.now()
  class Same extends Stage<number, number> {
    protected override transform(n: number): number[] {
      return [n]
    }
  }
  const stage = new Same()
  stage.write(1)
  expect(stage.read()).toBe(1)
})

test.each(['wasm', 'fflate'] as const)(
  'fault 98: members without output let the event loop turn, in one block (%s)',
  async engine => {
    const members = Buffer.concat(Array.from({ length: 6_000 }, () => gzipSync('')))
    const gunzip = new Gunzip({ engine })
    gunzip.end(members)
    expect(await gunzip.collect()).toHaveLength(0)
    expect(turns).toBeGreaterThan(5)
  },
)

test('fault 98: zeros behind a member let the event loop turn, in one block', async () => {
  const gunzip = new Gunzip()
  gunzip.end(Buffer.concat([gzipSync('text'), Buffer.alloc(64 * 1024 * 1024)]))
  expect(Buffer.concat(await gunzip.collect()).toString()).toBe('text')
  expect(turns).toBeGreaterThan(3)
})
