// The error tables of the three documents, and the codes that only the service notes have, as the rows that fixtures/documents/errors.tsv
// copies word for word; and one row for each operation, status and code that they stand for.

import { readFileSync } from 'node:fs'
import type { OperationName } from '../../src/service/operations'

/** A row as it is written. The notes name no operations and no domains: those are the ones that have the parameter in question. */
export interface WrittenRow {
  /** 1, 2, 3 or `notes`. */
  readonly document: string
  readonly operations: string
  readonly status: string
  readonly code: string
  readonly domain: string
  readonly category: string
  readonly condition: string
}

export interface ErrorRow {
  readonly source: 'document 1' | 'document 2' | 'document 3' | 'service-notes'
  readonly operation: OperationName
  readonly status: number
  readonly errorId: number
  readonly domain: string
  readonly category: string
  readonly condition: string
}

/** The feeds as document 2 calls them. */
const FEEDS: Readonly<Record<string, OperationName>> = {
  item: 'getItemFeed',
  item_group: 'getItemGroupFeed',
  item_snapshot: 'getItemSnapshotFeed',
  item_priority: 'getItemPriorityFeed',
}

export const writtenRows: readonly WrittenRow[] = readTable(
  readFileSync(new URL('../../fixtures/documents/errors.tsv', import.meta.url), 'utf8'),
)

export const errorRows: readonly ErrorRow[] = writtenRows.flatMap(rowsOf)

function readTable(text: string): WrittenRow[] {
  const [header = [], ...lines] = text
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t'))
  return lines.map(cells => Object.fromEntries(header.map((name, i) => [name, cells[i]])) as unknown as WrittenRow)
}

function rowsOf({ document, operations, status, code, ...rest }: WrittenRow): ErrorRow[] {
  const names = operations === 'all' ? Object.keys(FEEDS) : operations.split(', ')
  const source = document === 'notes' ? 'service-notes' : (`document ${document}` as ErrorRow['source'])
  return names.flatMap(name =>
    statusesOf(status, name).map(one => ({
      source,
      operation: FEEDS[name] ?? (name as OperationName),
      status: one,
      errorId: Number(code),
      ...rest,
    })),
  )
}

/** `400`, `401/403`, or `400 (404 for item_priority)`. */
function statusesOf(text: string, operation: string): number[] {
  const [, general = '', other, onlyFor] = /^([\d/]+)(?: \((\d+) for (\w+)\))?$/.exec(text) ?? []
  return (operation === onlyFor ? other! : general).split('/').map(Number)
}
