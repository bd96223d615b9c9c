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

test('a reader of standard output that goes away is as SIGPIPE; any other error of it is nobody’s to swallow', () => {
  const stop = stopRequest()
  release = stop.release
  expect(() => process.stdout.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toThrow('no space')
  expect(stop.signal.aborted).toBe(false)
  process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect([stop.signal.aborted, stop.exitCode]).toEqual([true, 141])
})

test('released, it listens no more', () => {
  const before = [...counts(), outputListeners()]
  const stop = stopRequest()
  expect([...counts(), outputListeners()]).toEqual(before.map(count => count + 1))
  stop.release()
  expect([...counts(), outputListeners()]).toEqual(before)
  expect(stop.signal.aborted).toBe(false)
})
