import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgedAgainst, provableAgainst, savedReport } from '../../src/bench/baseline'
import { regressionsIn } from '../../src/bench/bench-report'
import { machine, madeRuns, measuredOnly } from './made-bench-report'

let folder: string
const judging = { measures: ['time', 'cpu', 'memory'] } as const

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-baseline-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function saved(value: unknown): Promise<string> {
  const path = join(folder, 'baseline.json')
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

test('a report that was saved on this machine reads back as it was', async () => {
  const report = measuredOnly()
  expect(await savedReport(await saved(report), machine)).toEqual(report)
})

test.each([
  ['no JSON', '{', /it is not JSON/],
  ['something else', { kind: 'feedmill-inspect' }, /not a report of benchmarks/],
  ['another version', { ...measuredOnly(), version: 99 }, /version 99/],
  ['an incomplete report', { ...measuredOnly(), benches: [{ name: 'a' }] }, /not complete/],
  ['too few rounds', { ...measuredOnly(), rounds: 5 }, /5 rounds, and a comparison needs 6/],
  [
    'a report of another machine',
    { ...measuredOnly(), machine: { ...machine, cores: 64, node: 'v99.0.0' } },
    /another machine: cores 64, here 2; Node v99\.0\.0, here v20\.20\.2/,
  ],
])('%s is refused', async (_, value, message) => {
  await expect(savedReport(await saved(value), machine)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringMatching(message),
    context: { option: 'baseline' },
  })
})

test('a file that is not there is refused', async () => {
  await expect(savedReport(join(folder, 'nowhere'), machine)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
  })
})

test('the runs are judged by the rule for runs of different times', () => {
  const judged = (cpu: number) =>
    judgedAgainst(
      measuredOnly('objects', madeRuns({ cpu })),
      measuredOnly(),
      'before.json',
      judging,
    )
  expect(regressionsIn(judged(1))).toEqual([])
  const worse = judged(1.2)
  expect(regressionsIn(worse)).toMatchObject([{ bench: 'objects', measure: 'cpu' }])
  expect(worse.against).toMatchObject({
    kind: 'baseline',
    name: 'before.json of 2030-01-01T00:00:00.000Z',
  })
})

test('what the rounds can prove is told from the baseline, and from its rounds at most', () => {
  const line = (rounds: number) => provableAgainst(measuredOnly(), { ...judging, rounds })
  expect(line(6)).toMatch(
    /^6 rounds find a change of at least 0\.\d% of time, 0\.\d% of cpu, 4\.0% of memory here$/,
  )
  expect(line(1_000)).toBe(line(12))
})

test('a benchmark that the baseline lacks is named; none in common is refused', () => {
  const [added] = measuredOnly('added').benches
  const both = { ...measuredOnly(), benches: [...measuredOnly().benches, added!] }
  const { against, benches } = judgedAgainst(both, measuredOnly(), 'before.json', judging)
  expect(against!.leftOut).toEqual(['added: the baseline does not have it'])
  expect(benches.map(({ measures }) => measures?.length)).toEqual([3, undefined])
  expect(() => judgedAgainst(measuredOnly('added'), measuredOnly(), 'x', judging)).toThrow(
    /none of these benchmarks/,
  )
})
