import { expect, test } from 'vitest'
import { SideInput } from '../../../src/engine/stages/side-input'
import { collect } from '../../rows-from-text'

test.each([
  ['an array', () => [1, 2]],
  [
    'a generator',
    function* () {
      yield* [1, 2]
    },
  ],
  [
    'an async generator',
    async function* () {
      yield* [1, 2]
    },
  ],
])('reads %s to its end, and close after that does nothing', async (_, source) => {
  const input = new SideInput<number>(source())
  expect(await collect(input.read())).toEqual([1, 2])
  input.close()
})

test('close returns an iterator that was begun', async () => {
  let returned = 0
  async function* source() {
    try {
      for (;;) yield 1
    } finally {
      returned++
    }
  }
  const input = new SideInput<number>(source())
  await input.read().next()
  input.close()
  input.close()
  await Promise.resolve()
  expect(returned).toBe(1)
})

test('close cancels a web stream that was never read', async () => {
  let cancelled = false
  new SideInput<number>(
    new ReadableStream<number>({
      cancel: () => void (cancelled = true),
    }) as unknown as AsyncIterable<number>,
  ).close()
  await Promise.resolve()
  expect(cancelled).toBe(true)
})

test('close destroys a source that has a destroy method, also while it is waited for', async () => {
  let destroyed = 0
  const source = {
    destroy: () => void destroyed++,
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
  }
  const input = new SideInput<number>(source)
  void input.read().next()
  input.close()
  expect(destroyed).toBe(1)
})

test('an error of an iterator that is being closed is ignored', () => {
  const failing = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false as const, value: 1 }),
      return: () => {
        throw new TypeError('late')
      },
    }),
  }
  expect(() => new SideInput<number>(failing).close()).not.toThrow()
})
