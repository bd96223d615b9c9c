import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from '../../../src/state/merge/register-look-up'

test('a turn knows the turns before it that have not ended', () => {
  const turns = new Turns()
  const first = turns.begin()
  const second = turns.begin()
  expect([first, second].map(({ ahead }) => ahead.map(({ latest }) => latest))).toEqual([
    [],
    [first.latest],
  ])
  first.end()
  expect(turns.begin().ahead.map(({ latest }) => latest)).toEqual([second.latest])
})

test('turns that always overlap do not keep the memory of those that have ended', async () => {
  const turns = new Turns()
  const begun: WeakRef<object>[] = []
  let before = turns.begin()
  for (let n = 0; n < 100; n++) {
    begun.push(new WeakRef(before.latest))
    const next = turns.begin()
    before.end()
    before = next
    // A weak reference holds its object until the end of a job.
    if (n % 10 === 9) await setImmediate()
  }
  await setImmediate()
  gc!()
  expect(begun.filter(latest => latest.deref() !== undefined).length).toBeLessThan(5)
  before.end()
})
