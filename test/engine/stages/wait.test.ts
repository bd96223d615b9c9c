import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { inTime, listenable, pause, Semaphore, waitFor } from '../../../src/engine/stages/wait'

const late = new Error('late')
const gone = new Error('gone')
const never = new Promise<never>(() => {})
let abort: AbortController

describe('waits', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    abort = new AbortController()
  })
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  const limits = () => ({ signal: abort.signal, limitMs: 100, onLimit: () => late })

  test('an abort leaves a moment to work that ends, and gives up what does not', async () => {
    const { signal } = abort
    const ended = [1, 150].map(ms => new Promise(resolve => setTimeout(resolve, ms, ms)))
    const waits = [...ended, never].map(work => inTime(work, signal, () => late))
    const given = Promise.allSettled(waits)
    await vi.advanceTimersByTimeAsync(100)
    abort.abort()
    await vi.advanceTimersByTimeAsync(200)
    expect(await given).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'fulfilled', value: 150 },
      { status: 'rejected', reason: late },
    ])
    const behind = inTime(never, signal, () => late).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(200)
    expect(await behind).toBe(late)
    await expect(inTime(Promise.reject(gone), undefined, () => late)).rejects.toBe(gone)
  })

  test('a signal may have any number of listeners; none stays none', () => {
    expect(listenable(undefined)).toBeUndefined()
    expect(listenable(abort.signal)).toBe(abort.signal)
    const warned = vi.spyOn(process, 'emitWarning')
    for (let n = 0; n < 20; n++) abort.signal.addEventListener('abort', () => n)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
    const foreign = {
      aborted: false,
      addEventListener() {},
      removeEventListener() {},
    } as unknown as AbortSignal
    expect(listenable(foreign)).toBe(foreign)
  })

  test('gives the outcome of the work', async () => {
    expect(await waitFor(Promise.resolve(3), limits())).toBe(3)
    await expect(waitFor(Promise.reject(gone), limits())).rejects.toBe(gone)
  })

  test('ends at the limit', async () => {
    const waiting = expect(waitFor(never, limits())).rejects.toBe(late)
    await vi.advanceTimersByTimeAsync(100)
    await waiting
  })

  test('ends with the signal, also one that fired before', async () => {
    const waiting = expect(waitFor(never, limits())).rejects.toBe(gone)
    abort.abort(gone)
    await waiting
    await expect(waitFor(never, limits())).rejects.toBe(gone)
    await expect(pause(50, abort.signal)).rejects.toBe(gone)
  })

  test('work that fails after the wait is no unhandled rejection', async () => {
    let fail = (_error: Error) => {}
    const work = new Promise<void>((_, reject) => {
      fail = reject
    })
    abort.abort(gone)
    await expect(waitFor(work, limits())).rejects.toBe(gone)
    fail(late)
    await Promise.resolve()
  })

  test('leaves no listener behind', async () => {
    const added = vi.spyOn(abort.signal, 'addEventListener')
    const removed = vi.spyOn(abort.signal, 'removeEventListener')
    await waitFor(Promise.resolve(), limits())
    const paused = pause(50, abort.signal)
    await vi.advanceTimersByTimeAsync(50)
    await paused
    expect(added.mock.calls.map(call => call[1])).toEqual(removed.mock.calls.map(call => call[1]))
    expect(added).toHaveBeenCalledTimes(2)
  })

  test('a pause ends with the signal', async () => {
    const paused = expect(pause(50, abort.signal)).rejects.toBe(gone)
    abort.abort(gone)
    await paused
  })
})

test('as many jobs run at a time as there are permits, in the order in which they asked', async () => {
  const semaphore = new Semaphore(2)
  const { signal } = new AbortController()
  const started: number[] = []
  const ends: (() => void)[] = []
  const jobs = [0, 1, 2, 3].map(n =>
    semaphore.run(signal, async () => {
      started.push(n)
      await new Promise<void>(resolve => ends.push(resolve))
      return n
    }),
  )
  await Promise.resolve()
  expect(started).toEqual([0, 1])
  ends[1]!()
  await jobs[1]
  await new Promise(resolve => setImmediate(resolve))
  expect(started).toEqual([0, 1, 2])
  for (let n = 0; n < 4; n++) {
    for (const end of ends) end()
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(await Promise.all(jobs)).toEqual([0, 1, 2, 3])
})

test('a job that fails, or was aborted while it waited, passes its permit on', async () => {
  const semaphore = new Semaphore(1)
  const aborted = AbortSignal.abort(new RangeError('aborted'))
  const { signal } = new AbortController()
  const failing = semaphore.run(signal, () => Promise.reject(new RangeError('failed')))
  const waiting = semaphore.run(aborted, async () => 'never')
  const last = semaphore.run(signal, async () => 'last')
  await expect(failing).rejects.toThrow('failed')
  await expect(waiting).rejects.toThrow('aborted')
  expect(await last).toBe('last')
})

test('a permit is given back once, and a wait that its limits end takes none', async () => {
  const semaphore = new Semaphore(1)
  const late = new RangeError('late')
  const limits = (signal: AbortSignal, limitMs: number) => ({
    signal,
    limitMs,
    onLimit: () => late,
  })
  const { signal } = new AbortController()
  const release = await semaphore.acquire()
  const abort = new AbortController()
  const aborted = semaphore.acquire(limits(abort.signal, 60_000))
  const limited = semaphore.acquire(limits(signal, 5))
  const next = semaphore.acquire(limits(signal, 60_000))
  abort.abort(new RangeError('aborted'))
  await expect(aborted).rejects.toThrow('aborted')
  await expect(limited).rejects.toBe(late)
  release()
  const releaseNext = await next
  // A second call gives no second permit.
  release()
  await expect(semaphore.acquire(limits(signal, 5))).rejects.toBe(late)
  releaseNext()
  ;(await semaphore.acquire())()
})
