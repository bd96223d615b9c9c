import { expect, test } from 'vitest'
import {
  giveBackInflateMemory,
  takeInflateMemory,
} from '../../../../src/engine/codec/gzip/inflate-memory'
import { isShared } from '../../../../src/engine/codec/wasm-module'

test('a memory that is given back is taken again only for its own kind of use', () => {
  const own = takeInflateMemory()
  const shared = takeInflateMemory(true)
  expect([own, shared].map(({ memory }) => isShared(memory))).toEqual([false, true])
  giveBackInflateMemory(own)
  giveBackInflateMemory(shared)
  expect(takeInflateMemory(true)).toBe(shared)
  expect(takeInflateMemory()).toBe(own)
  giveBackInflateMemory(own)
  giveBackInflateMemory(shared)
})
