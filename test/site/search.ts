// Asks the search of the site for what users look for, without a browser: the index is made of the
// same pages, sections and settings. test/package.test.ts runs it over the pages of the package,
// which has all pages that the search knows.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMarkdownRenderer } from 'vitepress'
import { expect, test } from 'vitest'
// @ts-expect-error The settings of the site are plain modules.
import { indexOf, isSearched, markdownOf } from '../../.vitepress/search.mjs'
import { pagesIn } from '../markdown-links'

/** What somebody asks, and the page that has to be among the first three answers. */
const ASKED = [
  ['getting started', 'guide/getting-started'],
  ['read a csv file', 'guide/csv-over-http'],
  ['parquet', 'guide/columns'],
  ['arrow', 'guide/columns'],
  ['synchronous inflate', 'guide/engines'],
  ['postgres', 'guide/databases'],
  ['sqlite', 'guide/sqlite'],
  ['resume', 'guide/sync'],
  ['bad rows', 'guide/errors'],
  ['TSV_ROW_SHORT', 'reference/errors'],
  ['TsvRowParser', 'api/feedmill-classes'],
] as const

/** @param installed the folder of an installed package */
export function testSearch(installed: () => string): void {
  test('the search of the site finds the right page for what users ask', async () => {
    const root = installed()
    const plain = (code: string) => code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const renderer = await createMarkdownRenderer(root, { ...markdownOf(root), highlight: plain })
    const paths = pagesIn(root).filter(path => isSearched(path))
    const htmlOf = (path: string) =>
      renderer.render(readFileSync(join(root, path), 'utf8'), { path: join(root, path) })
    const ask = indexOf(paths.map(path => [path, htmlOf(path)]))
    const found = ASKED.map(([question]) => [question, ask(question).slice(0, 3)] as const)
    const idsOf = (results: readonly { id: string }[]) => results.map(({ id }) => id)
    for (const [n, [question, results]] of found.entries()) {
      const ids = idsOf(results)
      const isRight = ids.some(id => id.startsWith(`/${ASKED[n]![1]}`))
      expect({ question, ids, isRight }).toMatchObject({ isRight: true })
    }
  })

  test('the search leaves out the pages for contributors, and no page of the package', () => {
    const root = join(import.meta.dirname, '../..')
    const left = ['src', 'test', 'bench', 'fixtures'].map(folder => `${folder}/README.md`)
    for (const path of [...left, 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'])
      expect([path, isSearched(path)]).toEqual([path, false])
    expect(pagesIn(root, 'src/guide').every(path => isSearched(path))).toBe(true)
  })
}
