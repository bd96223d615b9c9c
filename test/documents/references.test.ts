// Every reference to a section of fixtures/documents/ leads to a heading, and nothing refers to a
// document that the repository does not have.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PAGES, type Page, sectionNumbers } from './pages'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = PAGES.map(page => page.replace('.', '\\.')).join('|')
const NUMBER = '\\d+(?:\\.\\d+)?'

/**
 * `item-feeds.md, section 2.2`, `…, sections 2.2 and 2.5`, `…, sections 2.2, 2.3 and 2.5`, `…,
 * sections 6.4 to 6.6`.
 */
const REFERENCE = new RegExp(
  `(?:\\b(${PAGE}), )?\\b(sections? (${NUMBER}(?:(?:, | and | to )${NUMBER})*))`,
  'g',
)

/** What stands before and behind a section of something that is not one of the pages. */
const OF_AN_RFC = /\bRFC \d+,? $/
const OF_ANOTHER = /^ of the SAM specification\b/

/** Names for what a reader of the repository cannot open. */
const NOWHERE = [
  /\bdocuments? (?:\d|one|two|three)\b/i,
  /\bnumbered documents?\b/i,
  /\bthree specifications\b/i,
  /\bservice notes\b/i,
  /\bthe notes\b/i,
  /\bthe (?:first )?plan\b/i,
  /\bfaults? list\b|\blist of faults\b/i,
  /\b(?:house|faults|baselines|outside-check)\.md\b/,
  /\bthe house\b/i,
  /\boutside check\b/i,
  /['"`](?:[123]|service-notes) · /,
  /shared\/(?:spec|design|found)/,
]

interface Text {
  readonly path: string
  /** Lines joined: a reference may go on in the next line of its comment. */
  readonly text: string
}

const texts: readonly Text[] = ['src', 'test', 'bench', 'fixtures', '.']
  .flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map(name =>
      join(folder, name),
    ),
  )
  // This file has the phrases that it looks for.
  .filter(path => /\.(?:ts|mjs|md|tsv)$/.test(path) && path !== 'test/documents/references.test.ts')
  .map(path => ({ path, text: joined(readFileSync(join(ROOT, path), 'utf8')) }))

const isPage = (path: string) => path.startsWith('fixtures/documents/')
const isSource = (path: string) => /^(?:src|bench)\/.*\.ts$/.test(path)

function joined(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\/\/|\*(?!\/)|-)?[ \t]*/g, ' ')
}

/**
 * The references of a text; without a page they are to a section of `home`, or to something else.
 */
function* referencesIn(text: string): Generator<{
  page: string | undefined
  numbers: string[]
  before: string
  behind: string
  whole: string
}> {
  for (const { 0: whole, 1: page, 3: list = '', index } of text.matchAll(REFERENCE)) {
    yield {
      page,
      numbers: list.match(new RegExp(NUMBER, 'g')) ?? [],
      before: text.slice(0, index),
      behind: text.slice(index + whole.length),
      whole,
    }
  }
}

const known = (page: string, number: string) => sectionNumbers(page as Page).includes(number)

/** What is wrong with the references of a text. */
function brokenIn({ path, text }: Text): string[] {
  const home = PAGES.find(page => path === `fixtures/documents/${page}`)
  return [...referencesIn(text)].flatMap(({ page = home, numbers, before, behind, whole }) => {
    if (page === undefined)
      return OF_AN_RFC.test(before) || OF_ANOTHER.test(behind)
        ? []
        : [`${path}: ${whole}: of which page?`]
    return numbers
      .filter(number => !known(page, number))
      .map(number => `${path}: ${page} has no section ${number}`)
  })
}

function mentionsNowhere({ path, text }: Text): string[] {
  return NOWHERE.flatMap(phrase => {
    const found = phrase.exec(text)
    return found === null ? [] : [`${path}: ${text.slice(found.index, found.index + 40)}`]
  })
}

test('there are sources, tests, benchmarks, documents and pages among the texts', () => {
  for (const path of [
    'src/engine/errors.ts',
    'src/README.md',
    'test/README.md',
    'bench/README.md',
    'README.md',
    'CONTRIBUTING.md',
  ]) {
    expect(texts.map(text => text.path)).toContain(path)
  }
  expect(texts.filter(({ path }) => isPage(path)).length).toBeGreaterThan(PAGES.length)
})

test('every reference leads to a heading', () => {
  const count = texts.flatMap(({ path, text }) =>
    isPage(path) ? [] : [...referencesIn(text)].filter(({ page }) => page !== undefined),
  )
  expect(count.length).toBeGreaterThan(200)
  expect(texts.flatMap(brokenIn)).toEqual([])
})

test('a source that names a page names its section', () => {
  const bare = new RegExp(`\\b(?:${PAGE})(?!, sections? \\d)`, 'g')
  expect(
    texts
      .filter(({ path }) => isSource(path))
      .flatMap(({ path, text }) => (text.match(bare) ?? []).map(page => `${path}: ${page}`)),
  ).toEqual([])
})

test('nothing refers to a document that is not in the repository', () => {
  expect(texts.flatMap(mentionsNowhere)).toEqual([])
})

test('every fault that a text refers to is a row of the table', () => {
  const rows = [
    ...readFileSync(join(ROOT, 'test/README.md'), 'utf8').matchAll(/^\| (\d+) \|/gm),
  ].map(([, number]) => number!)
  const faults = texts.flatMap(({ text }) =>
    [...text.matchAll(/\btest\/README\.md, faults? (\d+(?:(?:, | and | to )\d+)*)/g)].flatMap(
      ([, list]) => list!.match(/\d+/g)!,
    ),
  )
  expect(faults.length).toBeGreaterThan(20)
  expect(faults.filter(number => !rows.includes(number))).toEqual([])
})

describe('what these tests find', () => {
  const inSource = (text: string): Text => ({ path: 'src/x.ts', text: joined(text) })

  test.each([
    ['// Follows item-feeds.md, section 2.2.', []],
    ['// Follows item-feeds.md,\n// sections 2.2 and 2.5.', []],
    ['/**\n * Follows service-notes.md, sections 6.4\n * to 6.6.\n */', []],
    ['// RFC 1952 section 2.3.1; RFC 9110, section 14', []],
    ['// Follows item-feeds.md, section 2.22.', ['src/x.ts: item-feeds.md has no section 2.22']],
    [
      '// Follows item-feeds.md, sections 2.2, 2.5 and 9.',
      ['src/x.ts: item-feeds.md has no section 9'],
    ],
    ['// Follows section 2.2.', ['src/x.ts: section 2.2: of which page?']],
  ])('%s', (text, broken) => {
    expect(brokenIn(inSource(text))).toEqual(broken)
  })

  test.each([
    'document 2',
    'documents 1 to 3',
    'Columns of the numbered documents',
    'the service\n// notes',
    'as house.md says',
    'the notes',
    'the first plan',
    'written after the faults list',
    "'2 · Item feed columns'",
    'the three specifications',
  ])('%s', text => {
    expect(mentionsNowhere(inSource(`// ${text}`))).toHaveLength(1)
  })
})
