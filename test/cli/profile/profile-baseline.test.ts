import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compare, readBaseline } from '../../../src/cli/profile/profile-baseline'
import { resultOf, subject } from './profile-samples'

let path: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-profile-'))
  path = join(folder, 'baseline.json')
})
afterAll(() => rm(folder, { recursive: true }))

const baseline = resultOf(1000, 1010, 1020)

describe('a baseline', () => {
  test('may be a result of the same file, feed and cells, at any path', async () => {
    await writeFile(path, JSON.stringify(baseline))
    expect(await readBaseline(path, subject)).toEqual(baseline)
    expect(
      await readBaseline(path, { ...subject, file: { ...subject.file, path: 'elsewhere.gz' } }),
    ).toEqual(baseline)
  })

  test.each([
    ['another file', { ...subject, file: { ...subject.file, sha256: 'cd' } }],
    ['another feed', { ...subject, feed: 'item_group' as const }],
    ['another number of cells', { ...subject, reading: 6 }],
    ['another form of cells', { ...subject, reading: 'typed' as const }],
  ])('%s is refused as a baseline', async (_, other) => {
    await writeFile(path, JSON.stringify(baseline))
    await expect(readBaseline(path, other)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: '--baseline' },
    })
  })

  test.each([
    ['no JSON', '{'],
    ['nothing', 'null'],
    ['other JSON', '{"kind":"other"}'],
    ['a later version', JSON.stringify({ ...baseline, version: 99 })],
    ['a part of one', JSON.stringify({ ...baseline, totals: { mbPerSecond: 'fast' } })],
    ['one without its machine', JSON.stringify({ ...baseline, machine: undefined })],
  ])('the text %s is refused as a baseline', async (_, text) => {
    await writeFile(path, text)
    await expect(readBaseline(path, subject)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: '--baseline' },
    })
  })

  test('is refused where the file is missing', async () => {
    await expect(readBaseline(join(folder, 'none'), subject)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    })
  })
})

describe('a run is slower than its baseline', () => {
  test('when the difference exceeds the tolerance and the spread', () => {
    const slower = compare(baseline, resultOf(1250, 1260, 1270), 0.1)
    expect(slower).toMatchObject({
      verdict: 'slower',
      tolerance: 0.1,
      baseline: { totals: baseline.totals },
      warnings: [],
    })
    expect(slower.change).toBeCloseTo(1010 / 1260 - 1)
    expect(slower.noise).toBeCloseTo(20 / 1010)
  })

  test('not within the tolerance, and not when it is faster', () => {
    expect(compare(baseline, resultOf(1250, 1260, 1270), 0.2)).toMatchObject({ verdict: 'held' })
    expect(compare(baseline, resultOf(500, 505, 510), 0)).toMatchObject({ verdict: 'held' })
  })

  test('not within the spread of the rounds, of this run or of the baseline', () => {
    expect(compare(baseline, resultOf(1000, 1260, 1500), 0.1)).toMatchObject({ verdict: 'unclear' })
    expect(compare(resultOf(800, 1010, 1200), resultOf(1250, 1260, 1270), 0.1)).toMatchObject({
      verdict: 'unclear',
    })
  })

  test('only when both limits are exceeded, for any results', () => {
    const times = fc.array(fc.integer({ min: 100, max: 2000 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        times,
        times,
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        (before, after, tolerance) => {
          const old = resultOf(...before)
          const { verdict, change } = compare(old, resultOf(...after), tolerance)
          const spread = Math.max(old.totals.spread, resultOf(...after).totals.spread)
          expect(verdict === 'slower').toBe(-change > tolerance && -change > spread)
        },
      ),
    )
  })
})

test('a warning names each difference of the machine', () => {
  const { machine } = baseline
  const elsewhere = {
    ...baseline,
    machine: { ...machine, cpu: 'B', node: 'v22.0.0', date: 'earlier' },
  }
  expect(compare(elsewhere, baseline, 0.1).warnings).toEqual([
    'the baseline was made on another machine: CPU B, here A',
    'the baseline was made on another machine: Node v22.0.0, here v20.1.0',
  ])
})
