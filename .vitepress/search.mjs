// The search of the site: the pages that it knows, how they become sections, and how it ranks what it
// finds. test/site/search.ts asks it questions without a browser.

import MiniSearch from 'minisearch'
import { addressOf, githubAnchor, repositoryLinks } from './repository-links.mjs'

/** Pages for contributors, which would hide what a user looks for. */
const NOT_SEARCHED = /^(?:\.github\/.*|CHANGELOG\.md|CODE_OF_CONDUCT\.md|CONTRIBUTING\.md|(?:src|test|bench|fixtures)\/README\.md)$/

/** @param path of a page in the repository */
export const isSearched = path => !NOT_SEARCHED.test(path)

/** How pages become HTML. @param root the repository */
export const markdownOf = root => ({
  config: md => md.use(repositoryLinks, root),
  anchor: { slugify: githubAnchor },
})

/** VitePress sends these functions to the browser as text, so they use nothing from outside of them. */
const miniSearch = {
  options: {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    // Words that every page has say nothing about one.
    processTerm: term => (/^(?:an?|and|by|do|for|from|how|i|in|is|of|on|or|the|to|with)$/i.test(term) ? null : term.toLowerCase()),
  },
  searchOptions: {
    prefix: term => term.length > 2,
    fuzzy: term => (term.length > 4 ? 0.2 : false),
    boost: { title: 4, text: 2, titles: 1 },
    // What a page of the guide explains comes before the names and options that it is made of.
    boostDocument: id => (/^\/guide\//.test(id) ? 2 : /^\/api\//.test(id) ? 0.7 : 1),
  },
}

/** The settings of the search for VitePress. */
export const search = {
  provider: 'local',
  options: {
    miniSearch: { ...miniSearch, _splitIntoSections: (_, html) => sectionsOf(html) },
    _render: (text, env, md) => (isSearched(env.relativePath) ? md.render(text, env) : ''),
  },
}

/** The sections of a page, each with the headings above it, its own last. */
function sectionsOf(html) {
  const parts = html.split(/<h([1-6]) id="([^"]*)"[^>]*>(.*?)<\/h\1>/s).slice(1)
  const above = []
  return Array.from({ length: parts.length / 4 }, (_, n) => {
    const [level, anchor, heading, content] = parts.slice(4 * n, 4 * n + 4)
    above.length = level - 1
    above[level - 1] = textOf(heading.replace(/<a class="header-anchor".*<\/a>/s, '')).trim()
    return { anchor, titles: above.filter(Boolean), text: textOf(content) }
  })
}

const textOf = html => html.replace(/<[^>]*>/g, '')

/**
 * The index that VitePress makes of pages, without VitePress.
 * @param pages the HTML of each page by its path in the repository
 */
export function indexOf(pages) {
  const index = new MiniSearch(miniSearch.options)
  for (const [path, html] of pages)
    for (const { anchor, titles, text } of sectionsOf(html))
      index.add({ id: `/${addressOf(path)}.html#${anchor}`, text, title: titles.at(-1), titles: titles.slice(0, -1) })
  return question => index.search(question, miniSearch.searchOptions)
}
