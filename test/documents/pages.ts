// Reads the pages of fixtures/documents/: their sections by number, and the tables of a section.

import { readFileSync } from 'node:fs'

export const PAGES = [
  'feed-file-catalog.md',
  'item-feeds.md',
  'signing-keys-and-subscriptions.md',
  'service-notes.md',
] as const

export type Page = (typeof PAGES)[number]

/** The cells of one line by the heading of their column. */
export type TableRow = Readonly<Record<string, string>>

const folder = new URL('../../fixtures/documents/', import.meta.url)
const texts = new Map(PAGES.map(page => [page, readFileSync(new URL(page, folder), 'utf8')]))

/**
 * The text of each section up to the next heading, under its number and in the order of the page.
 */
const sections = new Map(PAGES.map(page => [page, sectionsOf(page)]))

export function textOf(page: Page): string {
  return texts.get(page)!
}

export function sectionNumbers(page: Page): string[] {
  return [...sections.get(page)!.keys()]
}

/** Every table of a section. Fails for a section that is not there. */
export function tablesIn(page: Page, number: string): TableRow[][] {
  const text = sections.get(page)!.get(number)
  if (text === undefined) throw new RangeError(`${page} has no section ${number}`)
  return [...text.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => rowsOf(table))
}

/** The one table of a section. */
export function tableIn(page: Page, number: string): TableRow[] {
  const [table, ...others] = tablesIn(page, number)
  if (table === undefined || others.length > 0)
    throw new RangeError(`${page}, section ${number} has not one table`)
  return table
}

/** The rows of a data file of fixtures/documents/. */
export function dataOf(file: string): TableRow[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n')
  const [header = [], ...rows] = lines.map(line => line.split('\t'))
  return rows.map(cells => record(header, cells))
}

/** The text without the marks of code around the whole of it. */
export function withoutMarks(cell: string | undefined): string {
  return (cell ?? '').replace(/^`(.*)`$/, '$1')
}

function sectionsOf(page: Page): Map<string, string> {
  const parts = texts
    .get(page)!
    .split(/^#{2,3} (\d+(?:\.\d+)?)\.? .+\n/m)
    .slice(1)
  const numbers = parts.filter((_, n) => n % 2 === 0)
  return new Map(numbers.map((number, n) => [number, parts[2 * n + 1]!]))
}

function rowsOf(table: string): TableRow[] {
  const [header = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf)
  return rows.map(cells => record(header, cells))
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/)
  return cells.map(cell => cell.replaceAll('\\|', '|').trim())
}

function record(header: readonly string[], cells: readonly string[]): TableRow {
  return Object.fromEntries(header.map((name, n) => [name, cells[n] ?? '']))
}
