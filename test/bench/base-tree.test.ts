import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseTree } from '../../src/bench/base-tree'

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

test.each(['no-such.mjs', import.meta.dirname])('%s is no file of benchmarks', async file => {
  const options = { base: 'HEAD', onProgress: () => {} }
  await expect(baseTree({ files: [file], ...options })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'files', received: file },
  })
})
