import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ProfileOptions, profile } from '../../../src/cli/profile/profile'
import type { ProfileResult } from '../../../src/cli/profile/profile-result'
import { writing } from '../served'
import { round } from './profile-samples'

let folder: string
let file: string
const printed = vi.spyOn(process.stdout, 'write')
const told = vi.spyOn(console, 'error')

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-profile-'))
  file = join(folder, 'items.tsv')
  await writeFile(file, 'itemId\n')
  printed.mockReset().mockImplementation(writing(() => {}))
  told.mockReset().mockImplementation(() => {})
})
afterEach(async () => {
  process.exitCode = undefined
  await rm(folder, { recursive: true })
})

const OPTIONS: ProfileOptions = { feed: 'item', read: 5, rounds: 3, tolerance: 0.1 }
const jsonOf = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as ProfileResult
const rounds =
  (...elapsedMs: number[]) =>
  async () =>
    round(elapsedMs.shift()!)

test('the profile runs as many rounds as requested, each with the same file', async () => {
  const runRound = vi.fn(rounds(1000, 1100, 1200))
  await profile(file, OPTIONS, runRound)
  expect(runRound.mock.calls).toHaveLength(3)
  for (const [task] of runRound.mock.calls as unknown[][])
    expect(task).toMatchObject({ file: { path: file, format: 'plain' }, feed: 'item', reading: 5 })
  expect(printed.mock.calls[0]![0]).toContain('inflate and parse is the bottleneck')
  expect(process.exitCode).toBeUndefined()
})

test('JSON replaces the table', async () => {
  await profile(file, { ...OPTIONS, json: true }, rounds(1000, 1100, 1200))
  expect(JSON.parse(printed.mock.calls[0]![0] as string)).toMatchObject({
    kind: 'feedmill-profile',
    totals: { seconds: 1.1 },
  })
})

test('a baseline is saved and compared; a slower run gives exit code 1 and does not replace it', async () => {
  const baseline = join(folder, 'baseline.json')
  await profile(file, { ...OPTIONS, save: baseline }, rounds(1000, 1010, 1020))
  await profile(file, { ...OPTIONS, baseline }, rounds(1030, 1040, 1050))
  expect(told.mock.calls.at(-1)![0]).toMatch(/^held: -2\.9%/)
  expect(process.exitCode).toBeUndefined()

  const again = { ...OPTIONS, baseline, save: baseline, json: true }
  await profile(file, again, rounds(1300, 1310, 1320))
  expect(told.mock.calls.at(-1)![0]).toMatch(/^SLOWER: -22\.9%/)
  expect(process.exitCode).toBe(1)
  expect((await jsonOf(baseline)).totals.seconds).toBe(1.01)
  expect(JSON.parse(printed.mock.calls.at(-1)![0] as string)).toMatchObject({
    totals: { seconds: 1.31 },
    comparison: { verdict: 'slower' },
  })
})

test('a baseline of another file or feed is refused before the measurement', async () => {
  const baseline = join(folder, 'baseline.json')
  await profile(file, { ...OPTIONS, save: baseline }, rounds(1000, 1010, 1020))
  const runRound = vi.fn(rounds())
  await expect(
    profile(file, { ...OPTIONS, read: 'typed', baseline }, runRound),
  ).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  expect(runRound).not.toHaveBeenCalled()
})

test('a schema of the user is checked, named and compared', async () => {
  const schema = join(folder, 'stock.json')
  const baseline = join(folder, 'baseline.json')
  await writeFile(schema, '{"name":"stock","columns":{"itemId":{"type":"text"}}}')
  const runRound = vi.fn(rounds(1000, 1010, 1020, 1000, 1010, 1020))
  await profile(file, { ...OPTIONS, schema, save: baseline }, runRound)
  const task = (runRound.mock.calls as unknown[][])[0]![0]
  expect(task).toMatchObject({ feed: 'stock', schema: { path: schema } })
  expect(printed.mock.calls[0]![0]).toContain('stock feed')
  await profile(file, { ...OPTIONS, schema, baseline }, runRound)
  expect(told.mock.calls.at(-1)![0]).toMatch(/^held: /)
  await writeFile(schema, '{"name":"stock","columns":{"itemId":{"type":"int64"}}}')
  await expect(profile(file, { ...OPTIONS, schema, baseline }, runRound)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('a file read with another schema'),
  })
  await writeFile(schema, '{}')
  await expect(profile(file, { ...OPTIONS, schema }, runRound)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: '--schema' },
  })
  expect(runRound).toHaveBeenCalledTimes(6)
})

test('a warning says that the baseline is from another machine', async () => {
  const baseline = join(folder, 'baseline.json')
  await profile(file, { ...OPTIONS, save: baseline }, rounds(1000, 1010, 1020))
  const saved = await jsonOf(baseline)
  await writeFile(
    baseline,
    JSON.stringify({ ...saved, machine: { ...saved.machine, cpu: 'another' } }),
  )
  await profile(file, { ...OPTIONS, baseline }, rounds(1000, 1010, 1020))
  expect(told.mock.calls[0]![0]).toMatch(
    /^warning: the baseline was made on another machine: CPU another, here /,
  )
})

test('a result that cannot be written is a typed failure, after it was shown', async () => {
  const save = join(folder, 'none', 'baseline.json')
  await expect(profile(file, { ...OPTIONS, save }, rounds(1000, 1010, 1020))).rejects.toMatchObject(
    {
      code: 'SINK_FAILED',
      context: { target: save, reason: 'ENOENT' },
    },
  )
  expect(printed).toHaveBeenCalledOnce()
})
