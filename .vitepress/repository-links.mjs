// How the pages of the repository become pages of the site: their addresses, their anchors, and the
// links between them. A link to a file that is no page leads to a copy of it in the site, as text.

import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

/** The address of a page on the site, without its end: `src/guide/rows.md` is `guide/rows`. */
export function addressOf(path) {
  const page = path.replace(/\.md$/, '')
  if (page === 'README') return 'index'
  if (page === 'src/README') return 'map'
  return page.replace(/^src\//, '').replace(/(^|\/)README$/, '$1index').toLowerCase()
}

/** The anchor that GitHub makes of a heading. A repeated one gets a number there and here. */
export function githubAnchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** The files that are no pages and that pages link to. */
const linkedFiles = new Set()

/** A plugin of markdown-it. @param root the repository */
export function repositoryLinks(md, root) {
  md.core.ruler.push('repository_links', ({ tokens, env }) => {
    const page = relative(root, env.realPath ?? env.path)
    for (const token of tokens)
      for (const child of token.children ?? [])
        if (child.type === 'link_open') child.attrSet('href', hrefOf(child.attrGet('href'), page, root))
    dropWayBack(tokens)
  })
}

function hrefOf(href, page, root) {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [path, anchor] = href.split('#')
  const target = posix.join(posix.dirname(page), decodeURI(path))
  const end = anchor === undefined ? '' : `#${anchor}`
  if (target.endsWith('.md')) return `/${addressOf(target)}.md${end}`
  const file = join(root, target)
  if (!existsSync(file)) return href
  if (statSync(file).isDirectory()) return `/${addressOf(readmeOf(target, root))}.md${end}`
  linkedFiles.add(target)
  return `/files/${target}.txt`
}

/** The README of a folder, or of the nearest folder around it that has one. */
function readmeOf(folder, root) {
  const readme = posix.join(folder, 'README.md')
  return existsSync(join(root, readme)) ? readme : readmeOf(posix.dirname(folder), root)
}

/** Puts the files that pages link to into the site. */
export function copyLinkedFiles(root, site) {
  for (const path of linkedFiles) {
    const copy = join(site, 'files', `${path}.txt`)
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(join(root, path), copy)
  }
}

/** Drops the line of a page that leads back to the README: here the sidebar does. */
function dropWayBack(tokens) {
  const at = tokens.findIndex(({ content }) => content === '[Back to the README](../../README.md)')
  if (at > 0) tokens.splice(at - 1, 3)
}
