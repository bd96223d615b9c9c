import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseTree, commitOfFolder } from '../../src/bench/base-tree'

let folder: string
let root: string
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.test', ...words], { cwd: root })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-base-tree-'))
  root = join(folder, 'repository')
  mkdirSync(root)
  writeFileSync(join(root, 'a.bench.mjs'), '')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
})
afterEach(() => rmSync(folder, { recursive: true }))

const tree = () =>
  baseTree({
    files: [join(root, 'a.bench.mjs')],
    base: 'HEAD',
    onProgress: () => {},
  })

test('fault 109: a link at the folder of the tree is refused, and nothing behind it is removed', async () => {
  const kept = join(folder, 'outside', 'base')
  mkdirSync(kept, { recursive: true })
  writeFileSync(join(kept, 'file'), 'kept')
  symlinkSync(join(folder, 'outside'), join(root, '.feedmill-bench'))
  await expect(tree()).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  expect(readFileSync(join(kept, 'file'), 'utf8')).toBe('kept')
})

test('fault 109: a link at a file in the folder is replaced and not followed', async () => {
  const kept = join(folder, 'kept')
  writeFileSync(kept, 'kept')
  mkdirSync(join(root, '.feedmill-bench'))
  symlinkSync(kept, join(root, '.feedmill-bench', '.gitignore'))
  const { drop } = await tree()
  expect(readFileSync(kept, 'utf8')).toBe('kept')
  expect(git('status', '--porcelain').toString()).toBe('')
  await drop()
})

test('a stated base has a folder of its own, and its errors name its option', async () => {
  const options = { files: [join(root, 'a.bench.mjs')], onProgress: () => {} }
  const base = await baseTree({ ...options, base: 'HEAD' })
  const stated = await baseTree({ ...options, base: 'HEAD', option: 'against' })
  const [file] = options.files
  expect(relative(root, base.inBase(file!))).toBe('.feedmill-bench/base/a.bench.mjs')
  expect(relative(root, stated.inBase(file!))).toBe('.feedmill-bench/against/a.bench.mjs')
  await stated.drop()
  expect(readdirSync(join(root, '.feedmill-bench')).sort()).toEqual(['.gitignore', 'base'])
  await base.drop()
  const wrong = baseTree({ ...options, base: 'nowhere', option: 'against' })
  await expect(wrong).rejects.toMatchObject({ context: { option: 'against' } })
})

test('the commit of a folder: its whole hash, what differs from it, and none', async () => {
  git('tag', '--annotate', '--message', 'tag', 'v1')
  const hash = git('rev-parse', 'HEAD').toString().trim()
  expect(await commitOfFolder(root)).toBe(hash)
  writeFileSync(join(root, 'untracked'), '')
  expect(await commitOfFolder(root)).toBe(hash)
  writeFileSync(join(root, 'a.bench.mjs'), 'changed')
  expect(await commitOfFolder(root)).toBe(`${hash}-dirty`)
  expect(await commitOfFolder(folder)).toBeUndefined()
})

test.each(['no-such.mjs', import.meta.dirname])('%s is no file of benchmarks', async file => {
  const options = { base: 'HEAD', onProgress: () => {} }
  await expect(baseTree({ files: [file], ...options })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'files', received: file },
  })
})
