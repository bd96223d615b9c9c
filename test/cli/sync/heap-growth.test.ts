import { setFlagsFromString } from 'node:v8'
import { afterEach, expect, test } from 'vitest'
import { limitHeapGrowth } from '../../../src/cli/sync/heap-growth'

const LIVE_ARRAYS = 4_000
const ARRAY_LENGTH = 1_000

afterEach(() => setFlagsFromString('--heap-growing-percent=0'))

/** The largest heap while arrays become old and are then replaced, in bytes. */
function peakOfHeap(): number {
  const live: number[][] = []
  let peak = 0
  for (let n = 0; n < 30 * LIVE_ARRAYS; n++) {
    live[n % LIVE_ARRAYS] = new Array<number>(ARRAY_LENGTH).fill(n)
    if (n % 100 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
  }
  return peak
}

test('the heap of a process grows less', () => {
  const before = peakOfHeap()
  limitHeapGrowth()
  // The limit of the last collection before the call still holds for this heap.
  peakOfHeap()
  expect(peakOfHeap()).toBeLessThan(before * 0.8)
})
