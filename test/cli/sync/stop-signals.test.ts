import { afterEach, expect, test } from 'vitest'
import { stopRequest } from '../../../src/cli/sync/stop-signals'

let release = () => {}
afterEach(() => release())

const counts = () => [process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')]

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s asks for a stop, and the process handles the next one itself', (name, exitCode) => {
  const before = counts()
  const stop = stopRequest()
  release = stop.release
  expect([stop.signal.aborted, stop.exitCode]).toEqual([false, undefined])
  process.emit(name, name)
  expect([stop.signal.aborted, stop.exitCode]).toEqual([true, exitCode])
  expect(counts()).toEqual(before)
})

test('the listener is removed when it is released', () => {
  const before = counts()
  const stop = stopRequest()
  expect(counts()).toEqual(before.map(count => count + 1))
  stop.release()
  expect(counts()).toEqual(before)
  expect(stop.signal.aborted).toBe(false)
})
