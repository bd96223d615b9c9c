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
  return pages.flatMap(page =>
    linksOf(readFileSync(join(root, page), 'utf8'))
      .filter(target => !leadsSomewhere(root, page, target))
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

function leadsSomewhere(root: string, page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (relative(root, file).startsWith('..') || !existsSync(file)) return false
  return (
    anchor === undefined ||
    (statSync(file).isFile() && anchorsOf(readFileSync(file, 'utf8')).includes(anchor))
  )
}

/** As GitHub and npm make them of headings. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replace(FENCED, '').matchAll(/^#{1,6} (.+)$/gm)].map(
    ([, heading]) => heading!,
  )
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

const FENCED = /^ *(```+)[^\n]*\n.*?^ *\1 *$/gms

function withoutCode(markdown: string): string {
  return markdown.replace(FENCED, '').replace(/`[^`\n]*`/g, '')
}
