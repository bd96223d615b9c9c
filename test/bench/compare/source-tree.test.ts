import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeWorkingTree } from '../../../bench/compare/source-tree'
import { command } from '../../../src/bench/base-tree'

let repository: string
let target: string

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'feedmill-compare-'))
  target = join(repository, 'ignored', 'tree')
  const git = (...args: string[]) =>
    command(
      { cwd: repository },
      'git',
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.org',
      ...args,
    )
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

test('the working tree as it stands, without what is ignored', async () => {
  await writeWorkingTree(repository, target)
  expect((await readdir(target)).toSorted()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
  expect(await readFile(join(target, 'kept.txt'), 'utf8')).toBe('changed')
})
