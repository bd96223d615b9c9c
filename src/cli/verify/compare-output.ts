// Compares the rows of a program's output with the truth, in any order of rows. It holds the truth
// and a count for each of its items, and nothing of the output but a few examples.

import { isEqualCell } from './equal-cell'
import type { OutputColumns } from './output-columns'
import type { OutputRow } from './output-row'
import type { Cells, TrueItem, TrueState } from './truth'

export interface CellExample {
  readonly itemId: string
  readonly column: string
  readonly expected: string
  readonly received: string
}

/** The classes of differences. */
export interface DifferenceCounts {
  /** Active items without a row. */
  readonly lost: number
  /** Rows beyond the first of an active item. */
  readonly doubled: number
  /** Rows of active items that equal an older version in all compared columns. */
  readonly stale: number
  /** Rows of items that have ended. */
  readonly kept: number
  /** Rows without a key, or with one that no file shows. */
  readonly unknown: number
  /** Cells that differ in other rows. */
  readonly wrongCells: number
}

export interface Differences extends DifferenceCounts {
  /** Rows of the output, without those that say that an item is gone. */
  readonly rows: number
  /** The first examples of each class. */
  readonly examples: {
    readonly lost: readonly string[]
    readonly doubled: readonly string[]
    readonly stale: readonly CellExample[]
    readonly kept: readonly string[]
    readonly unknown: readonly string[]
    readonly wrongCells: readonly CellExample[]
  }
}

const EXAMPLES = 3
const EXAMPLE_CHARS = 80
/** A row that says this stands for an item that is gone (item-feeds.md, section 2.7). */
const GONE = 'UNAVAILABLE'

export async function compareOutput(
  rows: AsyncIterable<OutputRow>,
  columns: OutputColumns,
  truth: TrueState,
): Promise<Differences> {
  const comparison = new Comparison(columns, truth)
  for await (const row of rows) comparison.row(row)
  return comparison.end()
}

class Comparison {
  readonly #columns: OutputColumns
  readonly #truth: TrueState
  readonly #rowsOf = new Map<string, number>()
  readonly #found = {
    rows: 0,
    ...{ lost: 0, doubled: 0, stale: 0, kept: 0, unknown: 0, wrongCells: 0 },
    examples: {
      lost: [] as string[],
      doubled: [] as string[],
      stale: [] as CellExample[],
      kept: [] as string[],
      unknown: [] as string[],
      wrongCells: [] as CellExample[],
    },
  }

  constructor(columns: OutputColumns, truth: TrueState) {
    this.#columns = columns
    this.#truth = truth
  }

  row(row: OutputRow): void {
    const { key, availability } = this.#columns
    if (availability !== undefined && row[availability] === GONE) return
    const itemId = key === undefined ? '' : shown(row[key])
    const item = this.#truth.items.get(itemId)
    this.#found.rows++
    if (item !== undefined) this.#compare(itemId, item, row)
    else this.#note(this.#truth.ended.has(itemId) ? 'kept' : 'unknown', itemId)
  }

  end(): Differences {
    for (const itemId of this.#truth.items.keys())
      if (!this.#rowsOf.has(itemId)) this.#note('lost', itemId)
    return this.#found
  }

  #compare(itemId: string, { cells, older }: TrueItem, row: OutputRow): void {
    const before = this.#rowsOf.get(itemId) ?? 0
    this.#rowsOf.set(itemId, before + 1)
    if (before > 0) this.#note('doubled', itemId)
    const different = this.#differing(cells, row)
    if (different.length === 0) return
    const examples = different.map(({ name, index, received }) => ({
      itemId,
      column: name,
      expected: shown(cells[index]),
      received: shown(row[received]),
    }))
    if (older.some(version => this.#differing(version, row).length === 0))
      this.#note('stale', examples[0]!)
    else for (const example of examples) this.#note('wrongCells', example)
  }

  #differing(cells: Cells, row: OutputRow) {
    return this.#columns.compared.filter(
      ({ type, index, received }) => !isEqualCell(type, cells[index]!, row[received]),
    )
  }

  #note(kind: 'stale' | 'wrongCells', example: CellExample): void
  #note(kind: 'lost' | 'doubled' | 'kept' | 'unknown', example: string): void
  #note(kind: keyof DifferenceCounts, example: string | CellExample): void {
    this.#found[kind]++
    const examples: (string | CellExample)[] = this.#found.examples[kind]
    if (examples.length < EXAMPLES)
      examples.push(typeof example === 'string' ? cut(example) : cutCells(example))
  }
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
