// Every command that names files: none of them may be read and written, or written twice.

import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { program, run } from '../../src/cli/program'

const folder = await mkdtemp(join(tmpdir(), 'feedmill-named-'))
const at = (name: string) => join(folder, name)
beforeAll(async () => {
  for (const name of ['F', 'module.mjs']) await writeFile(at(name), 'precious')
  await symlink('F', at('link'))
  await link(at('F'), at('hard'))
  await mkdir(at('state'))
  await writeFile(at('state/state.json'), '{"feedmill":"state","format":2}')
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

const F = at('F')
const WAYS = [F, relative('', F), `${folder}/state/../F`, at('link'), at('hard')]
const EXPORT = ['export', '--state', at('state')]
const DOWNLOAD = ['catalog', 'download', 'id', '--marketplace', 'MKT_US']

/** Calls whose last word is an output that is named before it, by whatever way. */
const CALLS: readonly (readonly string[])[] = [
  ['inspect', F, '--html'],
  ['inspect', F, '--write-schema'],
  ['inspect', at('G'), '--schema', F, '--html'],
  ['inspect', at('G'), '--against', F, '--html'],
  ['convert', F, '--format', 'csv'],
  ['convert', at('G'), '--format', 'csv', '--schema', F],
  ['convert', F, at('G.csv'), '--quarantine'],
  ['replay', F, '--out'],
  ['replay', at('G'), F, '--out'],
  ['replay', F, '--state', at('state'), '--changes'],
  [...EXPORT, '--schema', F, '--out'],
  ['bench', '--file', F, '--out'],
  ['bench', '--file', F, '--save'],
  ['bench', at('module.mjs'), '--baseline', F, '--json'],
  ['bench', '--file', at('G'), '--json', F, '--out'],
  ['bench', F, '--json'],
  [...DOWNLOAD, '--profile', F, '--out'],
  [...DOWNLOAD, '--credentials', F, '--out'],
  [
    'sync',
    '--marketplace',
    'M',
    '--category',
    '1',
    '--state',
    at('new'),
    '--credentials',
    F,
    '--changes',
  ],
]

/** Runs a call and returns what it prints on standard error. */
async function printedBy(words: readonly string[]): Promise<string> {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  await run(['node', 'feedmill', ...words])
  return error.mock.calls.join('\n')
}

async function contents() {
  const found: Record<string, string> = {}
  for (const name of (await readdir(folder, { recursive: true })).sort())
    found[name] = await readFile(at(name), 'utf8').catch(() => 'a folder')
  return found
}

test.each(CALLS.map(words => [words.join(' ').replaceAll(folder, ''), words] as const))(
  'fault 160: feedmill %s is refused where the output is that file',
  async (_, words) => {
    const before = await contents()
    for (const way of WAYS) {
      const text = await printedBy([...words, way])
      expect(text).toContain(' is the same file as the ')
      expect(text).toContain(` ${way}`)
      expect(text).toContain(F)
      expect(process.exitCode).toBe(2)
      expect(await contents()).toEqual(before)
    }
  },
)

test.each([
  [[...EXPORT, '--out']],
  [['demo', '--out']],
  [['sample']],
  [['bench', '--file', F, '--json']],
])('fault 160: feedmill %j writes nothing into a state folder', async words => {
  const before = await contents()
  for (const name of [
    'state/new',
    'state/runs/deep',
    ...(words[0] === 'sample' ? [] : ['state/state.json']),
  ]) {
    expect(await printedBy([...words, at(name)])).toContain(`is in the state folder ${at('state')}`)
    expect(process.exitCode).toBe(2)
    expect(await contents()).toEqual(before)
  }
})

test('each option that names a file is known as one that is read or written', () => {
  const names = new Set<string>()
  const see = (command: ReturnType<typeof program>) => {
    for (const { flags } of command.options) if (/file|report|path/.test(flags)) names.add(flags)
    command.commands.forEach(see)
  }
  see(program(['node', 'feedmill']))
  // For a new one look at src/cli/named-files.ts.
  expect([...names].sort()).toEqual([
    '--against <report>',
    '--append <file>',
    '--baseline <file>',
    '--changes <file>',
    '--changes [file]',
    '--credentials <file>',
    '--file <file>',
    '--html <file>',
    '--json <file>',
    '--json [file]',
    '--keep-files <size>',
    '--out <file>',
    '--out <path>',
    '--output <file>',
    '--profile <file>',
    '--quarantine <file>',
    '--queue-credentials <file>',
    '--save <file>',
    '--schema <file>',
    '--source <file>',
    '--write-schema <file>',
  ])
})
