import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../../../bench/compare/command'
import { commitOf, writeCommit, writeWorkingTree } from '../../../bench/compare/source-tree'

let repository: string
let target: string

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'feedmill-compare-'))
  target = join(repository, 'ignored', 'tree')
  const git = (...args: string[]) =>
    command(repository, 'git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args)
  await git('init', '--quiet')
  await writeFile(join(repository, '.gitignore'), 'ignored/\n')
  await writeFile(join(repository, 'kept.txt'), 'committed')
  await writeFile(join(repository, 'deleted.txt'), 'committed')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'first')
  await writeFile(join(repository, 'kept.txt'), 'changed')
  await writeFile(join(repository, 'new.txt'), 'not added')
  await rm(join(repository, 'deleted.txt'))
})

afterAll(() => rm(repository, { recursive: true }))

test('a commit as it was committed, whatever lay there before', async () => {
  await writeWorkingTree(repository, target)
  await writeCommit(repository, (await commitOf(repository, 'HEAD'))!, target)
  expect((await readdir(target)).toSorted()).toEqual(['.gitignore', 'deleted.txt', 'kept.txt'])
  expect(await readFile(join(target, 'kept.txt'), 'utf8')).toBe('committed')
})

test('the working tree as it stands, without what is ignored', async () => {
  await writeWorkingTree(repository, target)
  expect((await readdir(target)).toSorted()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
  expect(await readFile(join(target, 'kept.txt'), 'utf8')).toBe('changed')
})

test('a commit by its name; undefined for what is none', async () => {
  expect(await commitOf(repository, 'HEAD')).toMatch(/^[0-9a-f]{40}$/)
  for (const ref of ['no-such-branch', '--help', '', 'HEAD~1'])
    expect(await commitOf(repository, ref)).toBeUndefined()
})

test('a command that fails tells what it said', async () => {
  await expect(command(repository, 'git', 'no-such-command')).rejects.toThrow(
    /git no-such-command failed in .*\n.*no-such-command/,
  )
})
