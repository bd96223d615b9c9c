// The README and its like name files and folders: what they name is there, and the map names every
// layer.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { brokenLinks, linksOf, pagesIn } from './markdown-links'

const ROOT = join(import.meta.dirname, '..')
const GUIDE = pagesIn(ROOT, 'src/guide')
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'src/README.md',
  'test/README.md',
  'bench/README.md',
  'fixtures/README.md',
  ...GUIDE,
]
const README_LINES = 220
const SCREEN_LINES = 40

/** Folders of `src/` that hold pages, and what makes a site of them. */
const NO_CODE = /^(?:api|guide|reference|site)(?:\/|$)/

/** Pages that Git does not keep. The package has them, and package.test.ts checks all its links. */
const MADE = /^src\/(?:api|reference)\//

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test.each(DOCUMENTS)('%s: every link leads to a file, and to a heading of it', path => {
  const made = linksOf(textOf(path)).filter(target => MADE.test(join(dirname(path), target)))
  if (path !== 'README.md' && !GUIDE.includes(path)) expect(made).toEqual([])
  const broken = brokenLinks(ROOT, [path])
  expect(broken.filter(link => !made.some(target => link === `${path}: ${target}`))).toEqual([])
})

test('a link to a file or a heading that is not there is found, and code is no link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-links-'))
  try {
    const good =
      '[a](#the-first-part) [b](other.md#of-b) ![c](https://example.com/c.svg) `[d](d.md)`\n```ts\nx[0](y)\n```\n'
    const bad = '[`a`](#second) [b](other.md#b) ![c](c.svg) [d](../d.md)\n'
    writeFileSync(join(folder, 'page.md'), `# Page\n\n## The "first" part\n\n${good}${bad}`)
    writeFileSync(join(folder, 'other.md'), '# Of `b`\n')
    expect(pagesIn(folder).sort()).toEqual(['other.md', 'page.md'])
    expect(brokenLinks(folder, ['page.md'])).toEqual(
      ['#second', 'other.md#b', 'c.svg', '../d.md'].map(target => `page.md: ${target}`),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the README leads to every page of the guide', () => {
  expect(GUIDE.length).toBeGreaterThan(9)
  const targets = linksOf(textOf('README.md')).map(target => target.replace(/#.*/, ''))
  expect(GUIDE.filter(page => !targets.includes(page))).toEqual([])
})

test('the README has at most 220 lines, and every section fits on a screen', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES)
  const [opening = '', ...sections] = textOf('README.md').split(/^## /m)
  expect(sections.length).toBeGreaterThan(9)
  const long = [opening, ...sections]
    .map(section => section.trimEnd().split('\n'))
    .filter(lines => lines.length > SCREEN_LINES)
  expect(long.map(([heading]) => heading)).toEqual([])
})

test('the map: every file that it names exists, in the folder that it says or in the one that its row describes', () => {
  const missing = textOf('src/README.md')
    .split('\n')
    .flatMap(line => {
      const folder = /^\| `([\w/-]+)` \|/.exec(line)?.[1] ?? ''
      const files = [...line.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file!)
      return files.filter(
        file => ![file, join('src', file), join('src', folder, file)].some(isFile),
      )
    })
  expect(missing).toEqual([])
})

test('the map: every folder has its row, and every row has its folder', () => {
  const [, rows = ''] = textOf('src/README.md').split('## Folder by folder')
  const named = [...rows.split('\n## ')[0]!.matchAll(/^\| (`[\w/-]+\/`(?:, `[\w/-]+\/`)*) \|/gm)]
    .flatMap(([, cell]) => cell!.split(', '))
    .map(name => name.slice(1, -2))
  const folders = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => relative(join(ROOT, 'src'), join(entry.parentPath, entry.name)))
  expect(named.sort()).toEqual(folders.filter(folder => !NO_CODE.test(folder)).sort())
})

test('the map: every layer has its line', () => {
  const map = textOf('src/README.md')
  const layers = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter(
    ({ name }) => name !== 'README.md' && !MADE.test(`src/${name}/`),
  )
  expect(layers.length).toBeGreaterThan(9)
  expect(
    layers
      .filter(entry => !map.includes(`\n| \`${entry.name}${entry.isDirectory() ? '/' : ''}\` |`))
      .map(({ name }) => name),
  ).toEqual([])
})

function isFile(path: string): boolean {
  return existsSync(join(ROOT, path))
}
