import { expect, test } from 'vitest'
import { verdictOf } from './download-model'

const CASES = 5_000

test('fault 131: what comes out of any server is one version of the file, or a typed error', async () => {
  const wrong: string[] = []
  for (let seed = 1; seed <= CASES && wrong.length < 3; seed++) {
    const verdict = await verdictOf(seed)
    if (verdict !== undefined) wrong.push(verdict)
  }
  expect(wrong).toEqual([])
}, 60_000)
