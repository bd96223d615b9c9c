import { afterEach, expect, test } from 'vitest'
import { stopRequest } from '../../src/cli/stop-signals'

let release = () => {}
afterEach(() => release())

const counts = () => [process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')]
const outputListeners = () => process.stdout.listenerCount('error')

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s asks for a stop, and the next one is the process’s own again', (name, exitCode) => {
  const before = counts()
  const stop = stopRequest()
  release = stop.release
  expect([stop.signal.aborted, stop.exitCode]).toEqual([false, undefined])
  process.emit(name, name)
  expect([stop.signal.aborted, stop.exitCode]).toEqual([true, exitCode])
  expect(counts()).toEqual(before)
})

test('a reader of standard output that goes away counts as SIGPIPE', () => {
  const stop = stopRequest()
  release = stop.release
  process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect([stop.signal.aborted, stop.exitCode, stop.failure]).toEqual([true, 141, undefined])
})

test('fault 95: any other error of standard output stops the command, which has to fail with it', () => {
  const stop = stopRequest()
  release = stop.release
  process.stdout.emit('error', Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }))
  expect([stop.signal.aborted, stop.exitCode]).toEqual([true, undefined])
  expect(stop.failure).toMatchObject({ code: 'SINK_FAILED', context: { target: 'standard output', reason: 'ENOSPC' } })
  expect(stop.signal.reason).toBe(stop.failure)
})

test('released, it listens no more', () => {
  const before = [...counts(), outputListeners()]
  const stop = stopRequest()
  expect([...counts(), outputListeners()]).toEqual(before.map(count => count + 1))
  stop.release()
  expect([...counts(), outputListeners()]).toEqual(before)
  expect(stop.signal.aborted).toBe(false)
})
