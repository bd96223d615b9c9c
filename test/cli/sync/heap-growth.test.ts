import { execFileSync } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { build } from 'esbuild'
import { afterEach, expect, test } from 'vitest'
import { limitHeapGrowth, YOUNG_BYTES } from '../../../src/cli/sync/heap-growth'

const LIVE_ARRAYS = 3_000
const ARRAY_LENGTH = 1_000

afterEach(() => {
  setFlagsFromString('--heap-growing-percent=0')
  setFlagsFromString('--semi-space-growth-factor=2')
})

/** The largest heap while arrays become old and are then replaced, in bytes. */
function peakOfHeap(): number {
  const live: number[][] = []
  let peak = 0
  for (let n = 0; n < 12 * LIVE_ARRAYS; n++) {
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

/** Returns a program that prints its young generation's size after many objects have survived. */
async function youngBytesProgram(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { limitHeapGrowth, youngBytes } from './src/cli/sync/heap-growth'
        if (process.env.LIMITS) limitHeapGrowth()
        const live = []
        for (let n = 0; n < 5_000; n++) live[n % 800] = new Array(8_192).fill(n)
        console.log(youngBytes())`,
      resolveDir: '.',
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  })
  return outputFiles[0]!.text
}

test('the young generation stays at its limit, or at a lower one of the user', async () => {
  const program = await youngBytesProgram()
  const youngBytesOfProcess = (env: NodeJS.ProcessEnv, ...flags: string[]) => {
    const words = [...flags, '--input-type=module', '--eval', program]
    return Number(execFileSync(process.execPath, words, { encoding: 'utf8', env }))
  }
  expect(youngBytesOfProcess({})).toBeGreaterThan(YOUNG_BYTES)
  const limited = youngBytesOfProcess({ LIMITS: 'yes' })
  expect(limited).toBeGreaterThan(YOUNG_BYTES / 2)
  expect(limited).toBeLessThanOrEqual(YOUNG_BYTES)
  expect(youngBytesOfProcess({ LIMITS: 'yes' }, '--max-semi-space-size=2')).toBeLessThanOrEqual(
    2 ** 21,
  )
})
