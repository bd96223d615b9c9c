// Every TypeScript block of the documents for users, and every example in the sources, is run
// against the sources: see snippets.ts. package.test.ts type-checks and runs them in a plain install.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { close, facts, given } from './readme-preamble'
import {
  EXAMPLE_SOURCES,
  EXPECTED,
  expectRun,
  moduleOf,
  PAGES,
  snippets,
  writeModules,
} from './snippets'

const ROOT = join(import.meta.dirname, '..')

/**
 * The package's entries as its source has them: what is checked here is not what was built last.
 */
function fromSource(code: string): string {
  return code.replace(/ from 'feedmill(?:\/([\w-]+))?'/g, (whole, entry = 'index') =>
    existsSync(join(ROOT, 'src', `${entry}.ts`)) ? ` from '../../src/${entry}'` : whole,
  )
}

beforeAll(() => writeModules(ROOT, fromSource))
afterAll(close)

test('every TypeScript block is a named snippet with an expectation', () => {
  const blocks = [...PAGES.values()].flatMap(text => [
    ...text.matchAll(/^\s*(```+|~~~+)\s*(ts|tsx|typescript|js|javascript)\b/gim),
  ])
  const ofPages = snippets.filter(({ prints }) => prints === undefined)
  expect(blocks).toHaveLength(ofPages.length)
  expect(ofPages.map(({ name }) => name).sort()).toEqual(Object.keys(EXPECTED).sort())
  expect(Object.keys(given)).toEqual(expect.arrayContaining(snippets.flatMap(({ uses }) => uses)))
})

test('every example in the sources is a snippet of its own that prints something', () => {
  const tags = [...EXAMPLE_SOURCES.values()].flatMap(text => text.match(/@example\b/g) ?? [])
  const examples = snippets.filter(({ prints }) => prints !== undefined)
  expect(examples.length).toBeGreaterThan(30)
  expect(examples).toHaveLength(tags.length)
  expect(examples.filter(({ prints }) => prints!.length === 0).map(({ name }) => name)).toEqual([])
  expect(new Set(snippets.map(({ name }) => name)).size).toBe(snippets.length)
  const lengths = examples.map(({ name, code }) => ({ name, lines: code.split('\n').length }))
  expect(lengths.filter(({ lines }) => lines < 2 || lines > 14)).toEqual([])
})

test('a snippet knows its page and its line there', () => {
  expect(new Set(snippets.map(({ page }) => page)).size).toBeGreaterThan(5)
  for (const snippet of snippets) {
    const { page, line, code } = snippet
    const lines = (PAGES.get(page) ?? EXAMPLE_SOURCES.get(page)!).split('\n')
    const text = PAGES.has(page) ? lines : lines.map(each => each.replace(/^ *\* ?/, ''))
    expect(text[line - 1]).toBe(code.split('\n')[0])
    const module = readFileSync(moduleOf(ROOT, snippet), 'utf8').split('\n')
    const last = line + code.split('\n').length - 2
    expect(module[last]).toBe(text[last])
  }
})

test('only public entries of the package are imported, and a package that a reader brings', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>
  }
  const imported = snippets.flatMap(({ code }) =>
    [...code.matchAll(/ from '(?!node:)([^']+)'/g)].map(([, name]) => name!),
  )
  expect(imported.length).toBeGreaterThan(0)
  const others = imported.filter(
    name => !Object.keys(exports).includes(name.replace(/^feedmill/, '.')),
  )
  expect(others).toEqual(['@duckdb/node-api', 'zod', 'undici'])
})

test('the first snippet of the README reads the file that its command has just sampled', () => {
  const readme = PAGES.get('README.md')!
  const [, sampled] = /^npx feedmill sample (\S+)$/m.exec(readme)!
  const [first] = snippets
  expect(first).toMatchObject({ name: 'first', page: 'README.md', uses: [] })
  expect(first!.code).toContain(`new FileSource('${sampled}')`)
  expect(facts.samplePath).toBe(join(facts.folder, sampled!))
})

describe('every snippet runs', () => {
  const startedIn = process.cwd()
  beforeAll(() => process.chdir(facts.folder))
  afterAll(() => process.chdir(startedIn))

  const named = snippets.map(snippet => [snippet.name, snippet.page, snippet] as const)
  test.each(named)('%s of %s', async (_name, _page, snippet) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(moduleOf(ROOT, snippet))
      expectRun(snippet, { printed: log.mock.calls, facts })
    } finally {
      log.mockRestore()
    }
  })
})
