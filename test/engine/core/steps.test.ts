import { expect, test } from 'vitest'
import { DONE, isPromise, type Step, Steps } from '../../../src/engine/core/steps'

/** A sequence in which every second step is a promise. */
function upTo(end: number): Steps<number> {
  let n = 0
  return new Steps(() => {
    const step: Step<number> = n < end ? { done: false, value: n } : DONE
    return n++ % 2 === 0 ? step : Promise.resolve(step)
  })
}

test('a step is a value or a promise', async () => {
  const steps = upTo(2)
  expect(steps.next()).toEqual({ done: false, value: 0 })
  const second = steps.next()
  expect(isPromise(second)).toBe(true)
  expect(await second).toEqual({ done: false, value: 1 })
  expect(steps.next()).toBe(DONE)
})

test('a sequence of steps can be iterated like any other sequence', async () => {
  const seen: number[] = []
  for await (const n of upTo(5)) seen.push(n)
  expect(seen).toEqual([0, 1, 2, 3, 4])
  for await (const n of upTo(5)) if (n === 3) break
  for await (const _ of upTo(0)) expect.unreachable()
})

test('isPromise recognises promises', () => {
  expect(
    [Promise.resolve(), undefined, null, 7, {}].map(value => isPromise<unknown>(value)),
  ).toEqual([true, false, false, false, false])
})
