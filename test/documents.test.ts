// The README and its like name files and folders: what they name is there, and the map names every
// room, folder and layer.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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
const CODE_CHARACTERS = 100
const SCREEN_LINES = 40

const MAP_LINES = 300
const MAP_TERMS = 20

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

test('a link to a file of the repository leads to one, and names its heading', () => {
  const { homepage } = JSON.parse(textOf('package.json')) as { homepage: string }
  const files = `${homepage.replace(/#.*/, '')}/blob/HEAD/`
  const linked = DOCUMENTS.flatMap(path => textOf(path).split(`](${files}`).slice(1))
  const targets = linked.map(text => text.slice(0, text.indexOf(')')))
  expect(targets.length).toBeGreaterThan(3)
  mkdirSync(join(ROOT, '.tmp'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, '.tmp/links-'))
  try {
    writeFileSync(join(folder, 'page.md'), targets.map(target => `[a](../../${target})`).join('\n'))
    expect(brokenLinks(ROOT, [relative(ROOT, join(folder, 'page.md'))])).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each(['README.md', ...GUIDE])('%s: no line of code is wider than a page shows', path => {
  // A block without a language is what a program prints.
  const blocks = textOf(path).matchAll(/^( *)```\w+\n(.*?)^\1```$/gms)
  const lines = [...blocks].flatMap(([, , code]) => code!.split('\n'))
  expect(lines.filter(line => line.length > CODE_CHARACTERS)).toEqual([])
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

/** The sections of the map, each with the text below its heading. */
const MAP = new Map(
  textOf('src/README.md')
    .split(/^## /m)
    .slice(1)
    .map(section => [section.split('\n')[0]!, section] as const),
)
const rowsBelow = (text: string, heading: string) =>
  text
    .split(`\n| ${heading} |`)[1]!
    .split('\n\n')[0]!
    .split('\n')
    .slice(2)
    .map(row => row.slice(2).split(' |')[0]!)
/** The folders of a text, such as `codec/`, without their slashes. */
const foldersIn = (text: string) =>
  [...text.matchAll(/`([\w/-]+)\/`/g)].map(([, folder]) => folder!)

test('the map: it has at most 300 lines and at most 20 terms', () => {
  expect(textOf('src/README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MAP_LINES)
  const terms = rowsBelow(MAP.get('Terms')!, 'term')
  expect(terms.length).toBeGreaterThan(9)
  expect(terms.length).toBeLessThanOrEqual(MAP_TERMS)
  expect(new Set(terms).size).toBe(terms.length)
  expect(terms.filter(term => term.includes(','))).toEqual([])
})

test('the map: every file that it names exists in the sources, or in the room or folder that it describes', () => {
  const missing = [...MAP].flatMap(([room, section]) =>
    section.split('\n').flatMap(line => {
      const [, folder = ''] = /^\| `([\w/-]+)` \|/.exec(line) ?? []
      const files = [...line.matchAll(/`([\w/-]+\.(?:ts|mjs))`/g)].map(([, file]) => file!)
      const places = ['', 'src', join('src', room), join('src', room, folder)]
      return files.filter(file => !places.some(place => isFile(join(place, file))))
    }),
  )
  expect(missing).toEqual([])
})

test('the map: every room has its row and its section, and every folder of a room is named there', () => {
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !MADE.test(`src/${entry.name}/`))
    .map(({ name }) => name)
  expect(foldersIn(rowsBelow(MAP.get('The rooms')!, 'room').join())).toHaveLength(rooms.length)
  expect(foldersIn(rowsBelow(MAP.get('The rooms')!, 'room').join()).sort()).toEqual(rooms.sort())
  const problems = rooms.flatMap(room => {
    const folders = readdirSync(join(ROOT, 'src', room), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => relative(join(ROOT, 'src', room), join(entry.parentPath, entry.name)))
    const named = foldersIn(MAP.get(room) ?? '')
    const known = new Set([...folders, ...rooms])
    return [
      ...folders.filter(folder => !named.includes(folder)).map(each => `${room} lacks ${each}`),
      ...named.filter(folder => !known.has(folder)).map(each => `${room} has no ${each}`),
    ]
  })
  expect(problems).toEqual([])
})

test('the map: every layer of the engine has its line', () => {
  const layers = readdirSync(join(ROOT, 'src/engine'), { withFileTypes: true }).map(
    entry => `\`${entry.name}${entry.isDirectory() ? '/' : ''}\``,
  )
  expect(layers.length).toBeGreaterThan(9)
  expect(rowsBelow(MAP.get('engine')!, 'layer').sort()).toEqual(layers.sort())
})

test('the map: every room says what it holds, what its door gives, what it imports and where to begin', () => {
  const silent = [...MAP].filter(
    ([room, section]) =>
      isFolder(join('src', room, '.')) &&
      room !== 'guide' &&
      !/^\*\*Holds\*\* .*\n\*\*(?:Its door|Their doors|It has no door).*\n\*\*(?:It imports|They import)\*\* (?:.*\n)+?\*\*Begin\*\* /m.test(
        section,
      ),
  )
  expect(silent.map(([room]) => room)).toEqual([])
})

function isFile(path: string): boolean {
  return existsSync(join(ROOT, path))
}

function isFolder(path: string): boolean {
  return existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory()
}
