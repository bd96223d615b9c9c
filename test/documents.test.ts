// The README and its like name files and folders: what they name is there, and the map names every layer.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'src/README.md', 'test/README.md', 'fixtures/README.md']

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test.each(DOCUMENTS)('%s: every link leads to a file', path => {
  const targets = [...textOf(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!)
  expect(targets.filter(target => !existsSync(join(ROOT, dirname(path), target)))).toEqual([])
})

test('the map: every file that it names exists, in the folder that it says or in the one being described', () => {
  const paragraphs = textOf('src/README.md').split('\n\n')
  const missing = paragraphs.flatMap(paragraph => {
    const folder = /^\*\*`([\w/-]+)`/.exec(paragraph)?.[1] ?? ''
    const files = [...paragraph.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file!)
    return files.filter(file => ![file, join('src', file), join('src', folder, file)].some(isFile))
  })
  expect(missing).toEqual([])
})

test('the map: every layer has its line', () => {
  const map = textOf('src/README.md')
  const layers = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter(({ name }) => name !== 'README.md')
  expect(layers.length).toBeGreaterThan(9)
  expect(layers.filter(entry => !map.includes(`\n| \`${entry.name}${entry.isDirectory() ? '/' : ''}\` |`)).map(({ name }) => name)).toEqual(
    [],
  )
})

function isFile(path: string): boolean {
  return existsSync(join(ROOT, path))
}
