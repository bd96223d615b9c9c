// Long: it inflates large files with worker threads.

import { deflateRawSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import {
  INPUT_OVER,
  InflateControl,
  OUTPUT_CREDITS,
} from '../../../src/engine/codec/gzip/inflate-control'
import {
  giveBackInflateMemory,
  type InflateMemory,
  takeInflateMemory,
} from '../../../src/engine/codec/gzip/inflate-core'
import type { InflateEngine } from '../../../src/engine/codec/gzip/inflate-engine'
import { loanOf } from '../../../src/engine/codec/loan'
import { setMaxInflateWorkers } from '../../../src/engine/stages/inflate-worker-limit'
import { ParallelInflate, WORKER_FROM_BYTES } from '../../../src/engine/stages/parallel-inflate'
import { cutAt, feedText } from '../codec/gzip/build-gzip'
import { randomNumbers } from '../codec/gzip/deflate-mutants'
import { engineContract, finishAll, inflateAll } from '../codec/gzip/engine-contract'
import { OverlappedInflate } from './overlapped-inflate'
import { threads } from './recorded-workers'

vi.mock('node:worker_threads', async original =>
  (await import('./recorded-workers')).recording(await original()),
)

setMaxInflateWorkers(1000)

const MIB = 1 << 20

/** Makes bytes that do not compress, so that a stream of a given size is quickly made. */
function noise(bytes: number): Buffer {
  const next = randomNumbers(bytes)
  const block = Buffer.from(Array.from({ length: 1 << 16 }, () => next(256)))
  const all = Buffer.alloc(bytes)
  for (let at = 0, n = 0; at < bytes; at += block.length, n++) block.copy(all, at, (n * 997) & 0xff)
  return all
}

/** Makes a text of `mib` MiB. */
function textOf(mib: number): Buffer {
  const text = feedText(20_000)
  return Buffer.alloc(mib * MIB, text)
}

const failureOf = async (work: Promise<unknown>) =>
  work.then(() => undefined).catch((error: unknown) => error)
const ended = (engine: ParallelInflate) => engine.control.outcome?.result

describe('with a worker from the second byte on', () => {
  engineContract(startOffset => new OverlappedInflate(startOffset))
})

describe('with a worker as soon as it is ready', () => {
  engineContract(startOffset => new ParallelInflate(startOffset, 1))
})

test('outputs and their history stay unchanged while they are lent, round after round of the memory', async () => {
  const content = textOf(24)
  const engine = new OverlappedInflate(0)
  const stream = deflateRawSync(content, { level: 1 })
  const outputs = await finishAll(
    engine,
    await inflateAll(engine, cutAt(stream, 100_000, 1_000_000)),
  )
  expect(Buffer.concat(outputs).equals(content)).toBe(true)
  expect(outputs.length).toBeGreaterThan(45)
  expect([engine.usedBytes, engine.ended]).toEqual([stream.length, true])
  engine.destroy()
})

test('a worker takes over between two large blocks', async () => {
  const content = noise(3 * MIB)
  const engine = new ParallelInflate(0, 1)
  const blocks = cutAt(deflateRawSync(content, { level: 0 }), MIB, 2 * MIB)
  const first = await inflateAll(engine, blocks.slice(0, 2))
  while (!engine.control.isReady) await new Promise(resolve => setTimeout(resolve, 1))
  const outputs = await finishAll(engine, await inflateAll(engine, blocks.slice(2), first))
  expect(Buffer.concat(outputs).equals(content)).toBe(true)
  expect(engine.control.outcome).toBeDefined()
  engine.destroy()
})

test('a worker is started once a stream proves large, and one only', async () => {
  threads.workers.length = 0
  const stream = deflateRawSync(noise(3 * MIB), { level: 0 })
  const engine = new ParallelInflate(0)
  const first = await inflateAll(engine, [stream.subarray(0, WORKER_FROM_BYTES - 300_000)])
  expect(threads.workers).toHaveLength(0)
  await finishAll(
    engine,
    await inflateAll(
      engine,
      cutAt(stream.subarray(WORKER_FROM_BYTES - 300_000), 400_000, 800_000),
      first,
    ),
  )
  expect(threads.workers).toHaveLength(1)
  engine.destroy()
  await threads.exited()
})

test('data that goes on for long without any output', async () => {
  const empty = Buffer.from([0, 0, 0, 0xff, 0xff])
  const block = Buffer.alloc(5 * 40_000, empty)
  const engine = new OverlappedInflate(0)
  for (let n = 1; n <= 30; n++) {
    expect(await inflateAll(engine, [block])).toEqual([])
    expect(engine.usedBytes).toBeLessThanOrEqual(n * block.length)
  }
  await finishAll(engine, await inflateAll(engine, [Buffer.from([1, 0, 0, 0xff, 0xff, 7, 7])]))
  expect([engine.usedBytes, engine.ended]).toEqual([30 * block.length + 5, true])
  engine.destroy()
})

describe('the life of a worker', () => {
  /** Makes an engine whose worker has taken over, with a stream far from its end. */
  async function working(): Promise<OverlappedInflate> {
    const engine = new OverlappedInflate(0)
    for await (const _ of engine.inflate(deflateRawSync(textOf(8), { level: 1 }))) break
    return engine
  }

  test.each<[string, () => Promise<InflateEngine>]>([
    ['before it is ready', async () => startedEngine()],
    ['while it waits for credits', working],
    [
      'while it waits for input',
      async () => fedEngine(deflateRawSync(textOf(1)).subarray(0, 50_000)),
    ],
    ['after the end of the data', async () => endedEngine(deflateRawSync(textOf(1)))],
    ['after bad data', async () => endedEngine(Buffer.from([0, 1, 0, 0xfe, 0xff, 9, 7]))],
    [
      'after the end of input',
      async () => endedEngine(deflateRawSync(textOf(1)).subarray(0, 50_000)),
    ],
  ])('ends with its engine, %s', async (_, make) => {
    threads.workers.length = 0
    const baseline = process.getActiveResourcesInfo()
    const engine = await make()
    expect(threads.workers).toHaveLength(1)
    engine.destroy()
    engine.destroy()
    await threads.exited()
    expect(process.getActiveResourcesInfo().filter(name => !baseline.includes(name))).toEqual([])
  })

  async function startedEngine(): Promise<InflateEngine> {
    const engine = new ParallelInflate(0, 1)
    await inflateAll(engine, [Buffer.from([0])])
    return engine
  }

  async function fedEngine(stream: Uint8Array): Promise<InflateEngine> {
    const engine = new OverlappedInflate(0)
    await inflateAll(engine, [stream])
    return engine
  }

  async function endedEngine(stream: Uint8Array): Promise<InflateEngine> {
    const engine = new OverlappedInflate(0)
    const run = async () => finishAll(engine, await inflateAll(engine, [stream]))
    await run().catch(() => {})
    expect(ended(engine)).toBeDefined()
    return engine
  }

  test('behind a stopped reader it makes no more than its credits', async () => {
    const engine = new OverlappedInflate(0)
    const outputs = engine.inflate(deflateRawSync(textOf(16), { level: 1 }))
    await outputs.next()
    const seen = new Set<number>()
    // Waits until the worker has made no progress for a while.
    for (let still = 0, before = -1; still < 20; ) {
      await new Promise(resolve => setTimeout(resolve, 2))
      const made = madeBy(engine)
      still = made === before ? still + 1 : 0
      before = made
      seen.add(made)
    }
    expect(Math.max(...seen)).toBe(OUTPUT_CREDITS)
    engine.destroy()
    await threads.exited()
  })

  const madeBy = (engine: ParallelInflate) => {
    const [, , , made, released] = new Int32Array(engine.control.shared, 0, 5)
    return made! - released!
  }

  test('destroyed while it waits, its sequences end', async () => {
    const engine = new OverlappedInflate(0)
    await inflateAll(engine, [deflateRawSync(textOf(1)).subarray(0, 50_000)])
    const finishing = engine.finish()
    const stuck = vi.spyOn(engine.control, 'finish').mockReturnValue()
    const next = finishing.next()
    await new Promise(resolve => setTimeout(resolve, 20))
    engine.destroy()
    await threads.exited()
    expect(stuck).toHaveBeenCalled()
    while (!(await next).done) if ((await finishing.next()).done) break
    expect((await finishing.next()).done).toBe(true)
  })

  test('its memory goes to the next engine only after the worker has ended', async () => {
    const all = drained()
    threads.workers.length = 0
    const engine = new OverlappedInflate(0)
    const memory = await memoryOf(engine.inflate(deflateRawSync(textOf(8), { level: 1 })))
    engine.destroy()
    const early = drained()
    expect(early.map(free => free.memory)).not.toContain(memory)
    await threads.exited()
    await new Promise(resolve => setImmediate(resolve))
    const late = drained()
    expect(late.map(free => free.memory)).toContain(memory)
    for (const free of [...all, ...early, ...late].slice(0, 2)) giveBackInflateMemory(free)
  })

  test('its memory is free at once where the worker has reached the end of the data', async () => {
    const all = drained()
    const engine = new OverlappedInflate(0)
    const memories = new Set<unknown>()
    for (const block of cutAt(deflateRawSync(textOf(3)), 100_000)) {
      for await (const output of engine.inflate(block)) memories.add(loanOf(output)?.memory)
    }
    for await (const output of engine.finish()) memories.add(loanOf(output)?.memory)
    expect(memories.size).toBe(1)
    expect(engine.ended).toBe(true)
    engine.destroy()
    const free = drained()
    expect(free.map(taken => taken.memory)).toContain([...memories][0])
    for (const taken of [...all, ...free].slice(0, 2)) giveBackInflateMemory(taken)
    await threads.exited()
  })

  /** Returns the memory of the first output. */
  async function memoryOf(outputs: AsyncIterable<Uint8Array>): Promise<unknown> {
    for await (const output of outputs) return loanOf(output)?.memory
    return undefined
  }

  /** Takes the memories that are free, and a new one or two. */
  const drained = (): InflateMemory[] => [
    takeInflateMemory(true),
    takeInflateMemory(true),
    takeInflateMemory(true),
  ]
})

describe('a worker that fails', () => {
  const content = noise(2 * MIB)
  const stream = deflateRawSync(content, { level: 0 })
  const READY = 'const words = new Int32Array(workerData.control); Atomics.store(words, 8, 1);'
  // The first slot is filled once the worker has taken over.
  const IN_CHARGE = `${READY} while (Atomics.load(words, 1) === 0) Atomics.wait(words, 1, 0, 10);`
  const program = (text: string) => `const { workerData } = require('node:worker_threads'); ${text}`

  async function run(engine: ParallelInflate): Promise<Buffer> {
    return Buffer.concat(
      await finishAll(engine, await inflateAll(engine, cutAt(stream, 500_000, 900_000))),
    )
  }

  test('to start is not used: this thread does all the work and does not try again', async () => {
    let tries = 0
    threads.instead = () => {
      tries++
      throw new Error('no threads')
    }
    const engine = new ParallelInflate(0, 1)
    expect((await run(engine)).equals(content)).toBe(true)
    expect(tries).toBe(1)
    engine.destroy()
  })

  test.each([
    ['throws', 'throw new Error("early")'],
    ['exits', 'process.exit(7)'],
    ['exits as if it were well', 'process.exit(0)'],
  ])('before it is ready, because it %s, is none', async (_, text) => {
    threads.instead = (Recorded, options) => new Recorded(program(text), options)
    threads.workers.length = 0
    const engine = new ParallelInflate(0, 1)
    await inflateAll(engine, [stream.subarray(0, 1)])
    await threads.exited()
    const outputs = await finishAll(engine, await inflateAll(engine, [stream.subarray(1)]))
    expect(Buffer.concat(outputs).equals(content)).toBe(true)
    engine.destroy()
  })

  test.each([
    ['throws', `${IN_CHARGE} throw new Error("late")`],
    ['exits', `${IN_CHARGE} process.exit(7)`],
    ['exits as if it were well', `${IN_CHARGE} process.exit(0)`],
    [
      'runs out of memory',
      `${IN_CHARGE} const all = []; for (;;) all.push(new Array(1e5).fill({}))`,
    ],
  ])('once it has taken over, because it %s, is a typed error', async (_, text) => {
    threads.instead = (Recorded, options) =>
      new Recorded(program(text), { ...options, resourceLimits: { maxOldGenerationSizeMb: 8 } })
    threads.workers.length = 0
    const engine = new OverlappedInflate(0)
    expect(await failureOf(run(engine))).toMatchObject({
      code: 'STAGE_FAILED',
      context: { stage: 'Gunzip' },
    })
    // A second call fails with the same error.
    expect(await failureOf(finishAll(engine))).toMatchObject({ code: 'STAGE_FAILED' })
    engine.destroy()
    await threads.exited()
  })
})

test('the end of the input is not mistaken for the end of the data', async () => {
  const engine = new OverlappedInflate(0)
  await finishAll(engine, await inflateAll(engine, [deflateRawSync(feedText(50)).subarray(0, 100)]))
  expect([ended(engine), engine.ended, engine.usedBytes]).toEqual([INPUT_OVER, false, 100])
  expect(engine.control).toBeInstanceOf(InflateControl)
  engine.destroy()
})
