import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listenable, pause, waitFor } from '../../../src/engine/stages/wait'

const late = new Error('late')
const gone = new Error('gone')
const never = new Promise<never>(() => {})
let abort: AbortController

beforeEach(() => {
  vi.useFakeTimers()
  abort = new AbortController()
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const limits = () => ({ signal: abort.signal, limitMs: 100, onLimit: () => late })

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
