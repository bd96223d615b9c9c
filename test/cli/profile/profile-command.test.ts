import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { printed as allPrinted } from '../../../src/cli/output'
import { profile } from '../../../src/cli/profile/profile'
import { program } from '../../../src/cli/program'
import { writing } from '../served'

vi.mock('../../../src/cli/profile/profile', () => ({ profile: vi.fn() }))

let folder: string
let path: string
const told = vi.spyOn(console, 'error')
const printed = vi.spyOn(process.stdout, 'write')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-profile-'))
  path = join(folder, 'items.tsv')
  await writeFile(path, 'itemId\n')
})
beforeEach(() => {
  vi.mocked(profile).mockReset().mockResolvedValue()
  told.mockReset().mockReturnValue()
  printed.mockReset().mockImplementation(writing(() => {}))
})
afterAll(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

const command = (...words: string[]) =>
  program(['node', 'feedmill']).parseAsync(['node', 'feedmill', 'profile', ...words])

test('options that are left out have their defaults', async () => {
  await command(path)
  expect(profile).toHaveBeenCalledWith(path, { feed: 'item', read: 5, rounds: 5, tolerance: 0.1 })
})

test('the command accepts every option', async () => {
  const words = [
    '--feed',
    'item_priority',
    '--read',
    'typed',
    '--rounds',
    '9',
    '--tolerance',
    '2.5',
    '--save',
    'a',
    '--baseline',
    'b',
  ]
  await command(path, ...words, '--json')
  const options = {
    feed: 'item_priority',
    read: 'typed',
    rounds: 9,
    tolerance: 0.025,
    save: 'a',
    baseline: 'b',
  }
  expect(profile).toHaveBeenLastCalledWith(path, { ...options, json: true })
  await command('--json', path, '--read', '0')
  expect(profile).toHaveBeenLastCalledWith(path, expect.objectContaining({ json: true, read: 0 }))
  await command(path, '--schema', 'stock.mjs')
  expect(profile).toHaveBeenLastCalledWith(path, expect.objectContaining({ schema: 'stock.mjs' }))
})

test.each([
  [],
  ['a', 'b'],
  ['a', '--read', 'many'],
  ['a', '--read', '-1'],
  ['a', '--rounds', '0'],
  ['a', '--rounds', '1.5'],
  ['a', '--feed', 'other'],
  ['a', '--schema', 'b.json', '--feed', 'item'],
  ['a', '--tolerance', '-1'],
  ['a', '--tolerance', '100'],
  ['a', '--fast'],
])('wrong usage %j %j %j is refused before any run', async (...words) => {
  await expect(command(...words)).rejects.toMatchObject({
    code: expect.stringMatching(/^commander\./),
    exitCode: 1,
  })
  expect(profile).not.toHaveBeenCalled()
  expect(told).toHaveBeenCalled()
  expect(printed).not.toHaveBeenCalled()
})

test('help is printed on standard output', async () => {
  await expect(command('--help')).rejects.toMatchObject({ exitCode: 0 })
  await allPrinted()
  expect(printed.mock.calls[0]![0]).toContain('--tolerance <percent>')
})
