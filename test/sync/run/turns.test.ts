import { expect, test } from 'vitest'
import { Turns } from '../../../src/sync/run/turns'

test('so many at a time, in the order in which they asked', async () => {
  const turns = new Turns(2)
  const { signal } = new AbortController()
  const started: number[] = []
  const ends: (() => void)[] = []
  const jobs = [0, 1, 2, 3].map(n =>
    turns.take(signal, async () => {
      started.push(n)
      await new Promise<void>(resolve => ends.push(resolve))
      return n
    }),
  )
  await Promise.resolve()
  expect(started).toEqual([0, 1])
  ends[1]!()
  await jobs[1]
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2])
  for (let n = 0; n < 4; n++) {
    for (const end of ends) end()
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(await Promise.all(jobs)).toEqual([0, 1, 2, 3])
})

test('one that fails, or was aborted while it waited, gives its turn on', async () => {
  const turns = new Turns(1)
  const aborted = AbortSignal.abort(new RangeError('aborted'))
  const { signal } = new AbortController()
  const failing = turns.take(signal, () => Promise.reject(new RangeError('failed')))
  const waiting = turns.take(aborted, async () => 'never')
  const last = turns.take(signal, async () => 'last')
  await expect(failing).rejects.toThrow('failed')
  await expect(waiting).rejects.toThrow('aborted')
  expect(await last).toBe('last')
})
