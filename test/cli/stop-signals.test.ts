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

test.each(['ENOSPC', 'EPIPE'])('fault 95: %s of standard output stops the command, which has to fail with it', code => {
  const stop = stopRequest()
  release = stop.release
  process.stdout.emit('error', Object.assign(new Error(`write ${code}`), { code }))
  expect([stop.signal.aborted, stop.exitCode]).toEqual([true, undefined])
  expect(stop.failure).toMatchObject({ code: 'SINK_FAILED', context: { target: 'standard output', reason: code } })
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
