// Every TypeScript block of the documents for users is type-checked and run against the sources:
// see snippets.ts. package.test.ts does the same in a plain install.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { close, facts, given } from './readme-preamble'
import { EXPECTED, moduleOf, PAGES, problemsOf, snippets, writeModules } from './snippets'

const ROOT = join(import.meta.dirname, '..')

/**
 * The package's entries as its source has them: what is checked here is not what was built last.
 */
function fromSource(code: string): string {
  return code.replace(/ from 'feedmill(\/[\w-]+)?'/g, (whole, subpath = '') => {
    const entry = join(ROOT, 'src', subpath, 'index.ts')
    return existsSync(entry) ? ` from '../../src${subpath}/index'` : whole
  })
}

beforeAll(() => writeModules(ROOT, fromSource))
afterAll(close)

test('every TypeScript block is a named snippet with an expectation', () => {
  const blocks = [...PAGES.values()].flatMap(text => [
    ...text.matchAll(/^\s*(```+|~~~+)\s*(ts|tsx|typescript|js|javascript)\b/gim),
  ])
  expect(blocks).toHaveLength(snippets.length)
  expect(snippets.map(({ name }) => name).sort()).toEqual(Object.keys(EXPECTED).sort())
  expect(Object.keys(given)).toEqual(expect.arrayContaining(snippets.flatMap(({ uses }) => uses)))
})

test('a snippet knows its page and its line there', () => {
  expect(new Set(snippets.map(({ page }) => page)).size).toBeGreaterThan(5)
  for (const { page, line, code } of snippets)
    expect(PAGES.get(page)!.split('\n')[line - 1]).toBe(code.split('\n')[0])
  for (const snippet of snippets) {
    const text = PAGES.get(snippet.page)!.split('\n')
    const module = readFileSync(moduleOf(ROOT, snippet), 'utf8').split('\n')
    const last = snippet.line + snippet.code.split('\n').length - 2
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
  expect(others).toEqual(['undici'])
})

test('every snippet type-checks by the rules of the project', () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, include: [], files: [] },
    ts.sys,
    ROOT,
  )
  expect(problemsOf(ROOT, options)).toEqual([])
})

describe('every snippet runs', () => {
  const startedIn = process.cwd()
  beforeAll(() => process.chdir(facts.folder))
  afterAll(() => process.chdir(startedIn))

  const named = snippets.map(snippet => [snippet.name, snippet.page, snippet] as const)
  test.each(named)('%s of %s', async (name, _page, snippet) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(moduleOf(ROOT, snippet))
      EXPECTED[name]!({ printed: log.mock.calls, facts })
    } finally {
      log.mockRestore()
    }
  })
})
