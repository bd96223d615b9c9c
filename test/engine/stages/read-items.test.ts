import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Step, Steps } from '../../../src/engine/core/steps'
import { type Outputs, Stage } from '../../../src/engine/stages/stage'

/** A stage that gives each number that many times, sometimes after a wait. */
class Repeat extends Stage<number, number> {
  readonly made: number[] = []

  protected override transform(n: number): Outputs<number> {
    let left = n
    return new Steps(() => {
      const step: Step<number> =
        left-- > 0 ? { done: false, value: n } : { done: true, value: undefined }
      if (!step.done) this.made.push(n)
      return n % 3 === 0 ? Promise.resolve(step) : step
    })
  }
}

const filled = (...numbers: readonly number[]) => {
  const stage = new Repeat()
  for (const n of numbers) stage.write(n)
  stage.end()
  return stage
}

test('gives all items in order, and ends once', async () => {
  const reader = filled(2, 3, 1)[Symbol.asyncIterator]()
  const steps: number[] = []
  for (let step = await reader.next(); !step.done; step = await reader.next())
    steps.push(step.value)
  expect(steps).toEqual([2, 2, 3, 3, 3, 1])
  expect(await reader.next()).toEqual({ done: true, value: undefined })
})

test('steps that are asked for before the last one has come take their turn', async () => {
  const reader = filled(3, 1, 2)[Symbol.asyncIterator]()
  const steps = await Promise.all(Array.from({ length: 8 }, () => reader.next()))
  expect(steps.map(({ value }) => value)).toEqual([3, 3, 3, 1, 2, 2, undefined, undefined])
})

test('is at most one item ahead', async () => {
  const stage = filled(5)
  const reader = stage[Symbol.asyncIterator]()
  for (let read = 1; read <= 4; read++) {
    await reader.next()
    expect(stage.made.length).toBe(read + 1)
  }
})

test('leaving it while it waits ends it, and the stage', async () => {
  const stage = new Repeat()
  const reader = stage[Symbol.asyncIterator]()
  const waiting = reader.next()
  await reader.return()
  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(stage.destroyed).toBe(true)
})

test('an error that is thrown into it ends the stage', async () => {
  const stage = filled(1, 1)
  const reader = stage[Symbol.asyncIterator]()
  await reader.next()
  await expect(reader.throw(new RangeError('enough'))).rejects.toThrow('enough')
  expect(stage.destroyed).toBe(true)
  expect((await reader.next()).done).toBe(true)
})

test('only the listener for late failures stays', async () => {
  const stage = filled(1)
  for await (const _ of stage);
  expect(['readable', 'end', 'close', 'error'].map(event => stage.listenerCount(event))).toEqual([
    0, 0, 0, 1,
  ])
})

test('items come in order, however ways of reading take turns', async () => {
  const ways = fc.array(fc.constantFrom('iterate', 'read', 'flow' as const), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }),
      ways,
      async (numbers, turns) => {
        const stage = filled(...numbers)
        const seen: number[] = []
        // A stage in flowing mode also counts what is read.
        const onData = (n: number) => seen.push(n)
        const reader = stage[Symbol.asyncIterator]()
        for (const way of turns) {
          if (way === 'flow') {
            stage.on('data', onData)
            await new Promise(setImmediate)
            stage.off('data', onData)
            stage.pause()
          } else {
            const item = way === 'read' ? stage.read() : (await reader.next()).value
            if (typeof item === 'number') seen.push(item)
          }
        }
        for await (const n of stage) seen.push(n)
        expect(seen).toEqual(numbers.flatMap(n => Array<number>(n).fill(n)))
      },
    ),
    { numRuns: 100 },
  )
})

test('a stage that was paused is read all the same, by steps and by hand', async () => {
  const stage = filled(3, 2)
  stage.pause()
  expect(await stage[Symbol.asyncIterator]().next()).toEqual({ done: false, value: 3 })
  const rest: number[] = []
  for await (const n of stage) rest.push(n)
  expect(rest).toEqual([3, 3, 2, 2])
  const other = filled(2, 2)
  other.pause()
  expect([other.read(), other.read(), other.read(), other.read()]).toEqual([2, 2, 2, 2])
})

test('listeners also see the items of the iteration', async () => {
  const stage = filled(2, 1)
  const reader = stage[Symbol.asyncIterator]()
  await reader.next()
  const heard: number[] = []
  stage.pause()
  stage.on('data', n => heard.push(n))
  stage.pause()
  for await (const _ of stage);
  expect(heard).toEqual([2, 1])
})
