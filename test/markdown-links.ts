// The relative links and images of Markdown pages, held against the files of a folder.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The Markdown pages of a folder by their paths in it, those of installed packages left out. */
export function pagesIn(root: string, under = '.'): string[] {
  return readdirSync(join(root, under), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md') && !path.split('/').includes('node_modules'))
    .map(path => join(under, path))
}

/** The links that lead to no file of the folder, or to no heading of their page: `page: target`. */
export function brokenLinks(root: string, pages: readonly string[]): string[] {
  const anchors = new Map<string, ReadonlySet<string>>()
  return pages.flatMap(page =>
    linksOf(readFileSync(join(root, page), 'utf8'))
      .filter(target => !leadsSomewhere(root, page, target, anchors))
      .map(target => `${page}: ${target}`),
  )
}

/** The targets of relative links and images, text that is code left out. */
export function linksOf(markdown: string): string[] {
  const text = withoutCode(markdown)
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter(target => !/^[a-z]+:/i.test(target))
}

/** @param anchors those of the pages that were read before, by file */
function leadsSomewhere(
  root: string,
  page: string,
  target: string,
  anchors: Map<string, ReadonlySet<string>>,
): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (relative(root, file).startsWith('..') || !existsSync(file)) return false
  if (anchor === undefined) return true
  if (!statSync(file).isFile()) return false
  let known = anchors.get(file)
  if (known === undefined) {
    known = anchorsOf(readFileSync(file, 'utf8'))
    anchors.set(file, known)
  }
  return known.has(anchor)
}

/**
 * The anchors that GitHub and npm make of headings, where a repeated one gets a number, and those
 * that the page sets itself.
 */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const text = markdown.replace(FENCED, '')
  const anchors = new Set<string>()
  for (const [, heading] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-')
    let repeats = 0
    while (anchors.has(repeats === 0 ? anchor : `${anchor}-${repeats}`)) repeats++
    anchors.add(repeats === 0 ? anchor : `${anchor}-${repeats}`)
  }
  for (const [, id] of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(id!)
  return anchors
}

const FENCED = /^ *(```+)[^\n]*\n.*?^ *\1 *$/gms

function withoutCode(markdown: string): string {
  return markdown.replace(FENCED, '').replace(/`[^`\n]*`/g, '')
}
