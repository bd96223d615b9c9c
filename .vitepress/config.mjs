// The documentation site: `npm run site` builds it into .tmp/site of the pages that the repository
// has, without a copy of their text. Addresses, links and anchors are made so that a link between two
// pages of the repository leads to the same place here as on GitHub.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { addressOf, copyLinkedFiles } from './repository-links.mjs'
import { markdownOf, search } from './search.mjs'

const ROOT = join(import.meta.dirname, '..')
const { homepage } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/**
 * The pages for tasks, in the order of the sidebar: each goes from the start of one thing to its end.
 * Every other page of the guide explains one part, and the reference lists all of one kind.
 */
const TASKS = [
  'getting-started',
  'recipes',
  'csv-over-http',
  'rows',
  'own-feed',
  'columns',
  'sqlite',
  'databases',
  'buckets',
  'sync',
  'follow-own-feed',
  'queue',
  'quarantine',
  'own-stage',
  'verify',
  'ci',
  'troubleshooting',
]

const guide = readdirSync(join(ROOT, 'src/guide'))
  .filter(name => name.endsWith('.md'))
  .map(name => name.slice(0, -3))
const pagesOf = folder => readdirSync(join(ROOT, folder)).filter(name => name.endsWith('.md'))

function entry(path) {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(join(ROOT, path), 'utf8')) ?? []
  return { text: title.replaceAll('`', ''), link: `/${addressOf(path)}` }
}

const guideEntries = names => names.map(name => entry(`src/guide/${name}.md`))

export default defineConfig({
  title: 'feedmill',
  description: 'Composable stream processing for marketplace feed files',
  lang: 'en',
  srcDir: ROOT,
  outDir: join(ROOT, '.tmp/site'),
  cacheDir: join(ROOT, '.tmp/site-cache'),
  srcExclude: ['.tmp/**', '.feedmill-bench/**', 'coverage/**', 'fixtures/ingestion/**'],
  rewrites: path => `${addressOf(path)}.md`,
  // Without it a browser asks for /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: markdownOf(ROOT),
  buildEnd: ({ outDir }) => copyLinkedFiles(ROOT, outDir),
  // The pages have no front matter, because GitHub would show it.
  transformPageData: page => {
    if (page.relativePath === 'index.md') page.titleTemplate = ':title'
  },
  themeConfig: {
    outline: [2, 3],
    externalLinkIcon: true,
    socialLinks: [{ icon: 'github', link: homepage.replace(/#.*/, '') }],
    search,
    nav: [
      { text: 'Getting started', link: '/guide/getting-started' },
      { text: 'Reference', link: '/reference/options', activeMatch: '^/(reference|api)/' },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: [
      { text: 'Start', items: [{ text: 'What feedmill does', link: '/' }] },
      { text: 'Tasks: one thing, from start to end', items: guideEntries(TASKS) },
      {
        text: 'Guides: how one part works',
        items: guideEntries(guide.filter(name => !TASKS.includes(name))),
      },
      {
        text: 'Reference: all of one kind',
        items: [
          ...pagesOf('src/reference').map(name => entry(`src/reference/${name}`)),
          // The page of an entry leads to those of its classes, functions and types.
          ...pagesOf('src/api').filter(name => !name.includes('-')).map(name => entry(`src/api/${name}`)),
        ],
      },
      {
        text: 'For contributors',
        collapsed: true,
        items: [
          ...['src/README.md', 'CONTRIBUTING.md', 'test/README.md', 'bench/README.md'].map(entry),
          ...['fixtures/README.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'].map(entry),
        ],
      },
      {
        text: 'The service',
        collapsed: true,
        items: pagesOf('fixtures/documents').map(name => entry(`fixtures/documents/${name}`)),
      },
    ],
  },
})
