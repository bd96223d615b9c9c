// Compares the rows of a program's output with the truth, in any order of rows. It holds the truth
// and a count for each of its items, and nothing of the output but a few examples.

import { isEqualCell } from './equal-cell'
import type { OutputColumns } from './output-columns'
import type { OutputRow } from './output-rows'
import type { Cells, TrueItem, TrueState } from './truth'

export interface CellExample {
  readonly itemId: string
  readonly column: string
  readonly expected: string
  readonly received: string
}

/** The classes of differences, with their words. */
export const CLASSES = {
  /** Active items without a row. */
  lost: 'items lost',
  /** Rows beyond the first of an active item. */
  doubled: 'rows doubled',
  /** Rows of active items that equal an older version in all compared columns. */
  stale: 'rows stale',
  /** Rows of items that have ended. */
  kept: 'rows of ended items kept',
  /** Rows without a key, or with one that no file shows. */
  unknown: 'rows of unknown items',
  /** Cells that differ in other rows. */
  wrongCells: 'cells wrong',
} as const

export type DifferenceClass = keyof typeof CLASSES
export const KINDS = Object.keys(CLASSES) as DifferenceClass[]

/** How many differences there are of each class. */
export interface Differences extends Readonly<Record<DifferenceClass, number>> {
  /** Rows of the output, without those that say that an item is gone. */
  readonly rows: number
  /** The first examples of each class: identifiers of items, or cells. */
  readonly examples: {
    readonly [K in DifferenceClass]: readonly (K extends 'stale' | 'wrongCells'
      ? CellExample
      : string)[]
  }
}

const EXAMPLES = 3
const EXAMPLE_CHARS = 80
/** A row that says this stands for an item that is gone (item-feeds.md, section 2.7). */
const GONE = 'UNAVAILABLE'

export async function compareOutput(
  rows: AsyncIterable<OutputRow>,
  { key, availability, compared }: OutputColumns,
  truth: TrueState,
): Promise<Differences> {
  const met = new Set<string>()
  const counts = { rows: 0, ...ofEachClass(() => 0) }
  const examples = ofEachClass((): (string | CellExample)[] => [])
  const note = (kind: DifferenceClass, example: string | CellExample) => {
    counts[kind]++
    if (examples[kind].length < EXAMPLES)
      examples[kind].push(typeof example === 'string' ? cut(example) : cutCells(example))
  }
  const differing = (cells: Cells, row: OutputRow) =>
    compared.filter(({ type, index, received }) => !isEqualCell(type, cells[index]!, row[received]))
  const compare = (itemId: string, { cells, older }: TrueItem, row: OutputRow) => {
    if (met.has(itemId)) note('doubled', itemId)
    met.add(itemId)
    const different = differing(cells, row).map(({ name, index, received }) => ({
      itemId,
      column: name,
      expected: shown(cells[index]),
      received: shown(row[received]),
    }))
    if (different.length > 0 && older.some(version => differing(version, row).length === 0))
      note('stale', different[0]!)
    else for (const example of different) note('wrongCells', example)
  }
  for await (const row of rows) {
    if (availability !== undefined && row[availability] === GONE) continue
    const itemId = key === undefined ? '' : shown(row[key])
    const item = truth.items.get(itemId)
    counts.rows++
    if (item !== undefined) compare(itemId, item, row)
    else note(truth.ended.has(itemId) ? 'kept' : 'unknown', itemId)
  }
  for (const itemId of truth.items.keys()) if (!met.has(itemId)) note('lost', itemId)
  return { ...counts, examples: examples as Differences['examples'] }
}

function ofEachClass<T>(make: () => T): Record<DifferenceClass, T> {
  return Object.fromEntries(KINDS.map(kind => [kind, make()])) as Record<DifferenceClass, T>
}

function cutCells({ itemId, column, expected, received }: CellExample): CellExample {
  return { itemId, column, expected: cut(expected), received: cut(received) }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function cut(text: string): string {
  return text.length > EXAMPLE_CHARS ? `${text.slice(0, EXAMPLE_CHARS)}…` : text
}
