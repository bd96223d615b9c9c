// The copy of the error tables is what the documents say. Where the documents are at hand they are read again; where they are not,
// the copy still has as many rows as when it was made.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorRows, writtenRows } from './error-rows'

const SPEC = join(import.meta.dirname, '../../../shared/spec')
const isAtHand = existsSync(SPEC)

type Cells = Readonly<Record<string, string>>

/** Cells for the columns that a document's table does not have: the text around the table says what they would hold. */
const BESIDE_THE_TABLE: Readonly<Record<string, Cells>> = {
  1: { operations: 'downloadFile', domain: 'API_FEED' },
  2: { domain: 'API_FEED' },
  3: {},
}

const COLUMNS: Readonly<Record<string, string>> = {
  Status: 'status',
  Code: 'code',
  Category: 'category',
  Condition: 'condition',
  Operations: 'operations',
  Operation: 'operations',
  Domain: 'domain',
}

test.each([
  ['1', '1-feed-file-catalog.md', 8],
  ['2', '2-item-feeds.md', 22],
  ['3', '3-signing-keys-and-subscriptions.md', 14],
])('document %s', (document, file, count) => {
  const copied = writtenRows.filter(row => row.document === document)
  expect(copied).toHaveLength(count)
  if (!isAtHand) return
  expect(copied).toEqual(errorTable(textOf(file)).map(cells => ({ document, ...BESIDE_THE_TABLE[document], ...cells })))
})

test('the codes that only the notes have', () => {
  const copied = writtenRows.filter(row => row.document === 'notes')
  expect(copied).toHaveLength(11)
  if (!isAtHand) return
  const ofTheCatalog = copied.filter(({ domain }) => domain === 'API_FEED')
  const ofOthers = copied.filter(({ domain }) => domain !== 'API_FEED')
  const text = textOf('service-notes.md').replaceAll('\n', ' ')
  expect(ofTheCatalog.map(({ code, status, condition }) => [code, status, condition])).toEqual(catalogCodes(text))
  expect(ofOthers.map(({ code, status }) => [code, status])).toEqual(otherStatuses(text))
})

test('one row for each operation, status and code', () => {
  const rowsOf = (source: string) => errorRows.filter(row => row.source === source).length
  expect(['document 1', 'document 2', 'document 3', 'service-notes'].map(rowsOf)).toEqual([8, 76, 15, 14])
  expect(new Set(errorRows.map(({ operation, status, errorId }) => `${operation} ${status} ${errorId}`)).size).toBe(8 + 76 + 15 + 14)
  expect(errorRows.filter(({ status, errorId }) => !(status >= 400 && errorId >= 13000))).toEqual([])
})

function textOf(file: string): string {
  return readFileSync(join(SPEC, file), 'utf8')
}

/** The one table of a document that has codes. */
function errorTable(markdown: string): Cells[] {
  const tables = markdown
    .split('\n\n')
    .map(block => block.split('\n').filter(line => line.startsWith('|')))
    .map(lines => lines.map(line => line.slice(1, -1).split('|')).map(cells => cells.map(cell => cell.trim())))
  const [header = [], , ...rows] = tables.find(([first]) => first?.includes('Code')) ?? []
  return rows.map(cells => Object.fromEntries(cells.map((cell, i) => [COLUMNS[header[i]!] ?? header[i]!, cell])))
}

/** `14000 (404, feed type unknown), …` up to the end of the sentence. */
function catalogCodes(notes: string): string[][] {
  const [sentence = ''] = /Catalog error codes beyond.*?\./.exec(notes) ?? []
  return [...sentence.matchAll(/(\d{5}) \((\d{3}), ([^)]+)\)/g)].map(([, ...cells]) => cells)
}

/** `210005` has been seen as 400; more codes than one stand between `and`. */
function otherStatuses(notes: string): string[][] {
  const sentences = [...notes.matchAll(/((?:`\d+`(?: and )?)+) ha(?:s|ve) been seen as (\d{3})/g)]
  return sentences.flatMap(([, codes, status]) => [...codes!.matchAll(/\d+/g)].map(([code]) => [code, status!]))
}
