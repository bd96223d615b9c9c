// The rows of fixtures/documents/errors.tsv, with one entry for each operation, status and code.

import type { DocumentedError } from '../../src/service/documented-errors'
import type { OperationName } from '../../src/service/operations'
import { dataOf } from '../documents/pages'

/** A row of the file. */
interface WrittenRow {
  readonly source: Exclude<DocumentedError['source'], 'implied'>
  readonly operations: string
  readonly status: string
  readonly code: string
  readonly domain: string
  readonly category: string
  readonly condition: string
}

export interface ErrorRow {
  readonly source: WrittenRow['source']
  readonly operation: OperationName
  readonly status: number
  readonly errorId: number
  readonly domain: string
  readonly category: string
  readonly condition: string
}

/** The feeds by the names of item-feeds.md, section 1. */
const FEEDS: Readonly<Record<string, OperationName>> = {
  item: 'getItemFeed',
  item_group: 'getItemGroupFeed',
  item_snapshot: 'getItemSnapshotFeed',
  item_priority: 'getItemPriorityFeed',
}

export const errorRows: readonly ErrorRow[] = (
  dataOf('errors.tsv') as unknown as WrittenRow[]
).flatMap(rowsOf)

function rowsOf({ operations, status, code, ...rest }: WrittenRow): ErrorRow[] {
  const names = operations === 'all' ? Object.keys(FEEDS) : operations.split(', ')
  return names.flatMap(name =>
    statusesOf(status, name).map(one => ({
      operation: FEEDS[name] ?? (name as OperationName),
      status: one,
      errorId: Number(code),
      ...rest,
    })),
  )
}

/** Reads `400`, `401/403`, or `400 (404 for item_priority)`. */
function statusesOf(text: string, operation: string): number[] {
  const [, general = '', other, onlyFor] = /^([\d/]+)(?: \((\d+) for (\w+)\))?$/.exec(text) ?? []
  return (operation === onlyFor ? other! : general).split('/').map(Number)
}
