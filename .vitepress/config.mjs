// The documentation site: `npm run site` builds it into .tmp/site of the pages that the repository
// has, without a copy of their text. Addresses, links and anchors are made so that a link between two
// pages of the repository leads to the same place here as on GitHub.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { addressOf, copyLinkedFiles, githubAnchor, repositoryLinks } from './repository-links.mjs'

const ROOT = join(import.meta.dirname, '..')
const { homepage } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The pages for tasks, in the order of the sidebar. Every other page of the guide follows them. */
const TASKS = [
  'rows',
  'sync',
  'own-stage',
  'own-feed',
  'sqlite',
  'runtimes',
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
  markdown: {
    config: md => md.use(repositoryLinks, ROOT),
    anchor: { slugify: githubAnchor },
  },
  buildEnd: ({ outDir }) => copyLinkedFiles(ROOT, outDir),
  // The pages have no front matter, because GitHub would show it.
  transformPageData: page => {
    if (page.relativePath === 'index.md') page.titleTemplate = ':title'
  },
  themeConfig: {
    outline: [2, 3],
    externalLinkIcon: true,
    socialLinks: [{ icon: 'github', link: homepage.replace(/#.*/, '') }],
    search: { provider: 'local' },
    nav: [
      { text: 'Tasks', link: '/guide/rows', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/options', activeMatch: '^/(reference|api)/' },
      { text: 'Map', link: '/map' },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: [
      { text: 'Start', items: [{ text: 'What feedmill does', link: '/' }] },
      { text: 'Tasks', items: guideEntries(TASKS) },
      { text: 'In depth', items: guideEntries(guide.filter(name => !TASKS.includes(name))) },
      {
        text: 'Reference',
        items: pagesOf('src/reference').map(name => entry(`src/reference/${name}`)),
      },
      { text: 'Public names', items: pagesOf('src/api').map(name => entry(`src/api/${name}`)) },
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
