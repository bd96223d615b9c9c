import { expect, test } from 'vitest'
import { Semaphore } from '../../../src/engine/stages/semaphore'

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
