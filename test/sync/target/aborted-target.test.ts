// A target of one's own that hangs at any of its calls, in a run that is aborted: the run ends within
// a second, and what the target and the run hold is freed when the call returns, not under it.
// Long: it synchronises a small world for each call.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { FeedError } from '../../../src/engine/errors'
import type { SyncTarget } from '../../../src/sync/target/target'
import { shopAfterBootstrap } from '../small-run'
import { MemoryPlace, memoryTarget } from './memory-target'

const shop = shopAfterBootstrap(new Date(Date.UTC(2026, 2, 1)), Date.UTC(2026, 2, 2))
const spoolFolder = mkdtempSync(join(tmpdir(), 'feedmill-aborted-'))
afterAll(async () => {
  await shop.close()
  rmSync(spoolFolder, { recursive: true })
})

type Call = 'open' | 'category' | 'apply' | 'removalsForgotten' | 'close'
const CALLS: readonly (readonly [Call, number])[] = [
  ['open', 1],
  ['category', 1],
  ['apply', 1],
  ['apply', 2],
  ['apply', 4],
  ['removalsForgotten', 1],
  ['close', 1],
]

/** A target whose `nth` call of a kind returns when it is let go, before or behind its work. */
function hanging(place: MemoryPlace, call: Call, nth: number, isBehind: boolean) {
  const calls: string[] = []
  let letGo = () => {}
  const gate = new Promise<void>(resolve => {
    letGo = resolve
  })
  const state = { isIn: false, calls, letGo: () => letGo() }
  const wrapped = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(_, name) {
        const value = Reflect.get(of, name, of)
        if (typeof value !== 'function') return value
        return async (...given: unknown[]) => {
          calls.push(String(name))
          const hangs = name === call && calls.filter(each => each === call).length === nth
          const wait = async () => {
            state.isIn = true
            await gate
          }
          if (hangs && !isBehind) await wait()
          const result: unknown = await value.apply(of, given)
          if (hangs && isBehind) await wait()
          return name === 'open' || name === 'category' ? wrapped(result as object) : result
        }
      },
    })
  return { target: wrapped<SyncTarget>(memoryTarget(place)), state }
}

test('fault 161: an aborted run ends within a second, whatever call of its target hangs, and frees everything behind it', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...CALLS),
      fc.boolean(),
      fc.constantFrom(0, 1, 30),
      async ([call, nth], isBehind, delayMs) => {
        const place = new MemoryPlace()
        const { target, state } = hanging(place, call, nth, isBehind)
        const abort = new AbortController()
        const { summary } = shop.syncInto(target, { signal: abort.signal, spoolFolder })
        const end = summary.then(
          () => undefined,
          (error: FeedError) => error,
        )
        const isOver = () => Promise.race([end.then(() => true), sleep(1, false)])
        await expect.poll(() => state.isIn || isOver(), { timeout: 10_000 }).toBe(true)
        await sleep(delayMs)
        abort.abort(new RangeError('enough'))
        const error = await Promise.race([end, sleep(1_500, 'late' as const)])
        expect(error).not.toBe('late')
        if (state.isIn) {
          seen.add(call)
          expect(error).toMatchObject({
            code: 'ABORTED',
            retryable: false,
            message: expect.stringMatching(/memory has not returned from a call/),
            cause: { message: 'enough' },
          })
          // The lock of a category that is written stays under the call.
          if (call === 'apply') expect(place.writers.size).toBe(1)
          if (call !== 'close') expect(state.calls).not.toContain('close')
        } else expect(error).toBeUndefined()
        state.letGo()
        await expect.poll(() => [place.writers.size, readdirSync(spoolFolder)]).toEqual([0, []])
        expect(state.calls.filter(each => each === 'close')).toHaveLength(1)
      },
    ),
    { numRuns: 25 },
  )
  expect(seen.size).toBe(5)
}, 120_000)
