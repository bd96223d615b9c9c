// The rules of cells as bytes, which all parts of the parser and all readers of rows obey. read-row.ts
// says what the bytes mean.

/**
 * How the cells of a file are written. Stores keep it for their rows where it is not
 * DOCUMENTED_CELLS, so its names and values do not change.
 */
export interface CellRules {
  /** The byte between two cells. */
  readonly delimiter: number
  /** The byte that begins and ends a quoted cell; -1 where no cell is quoted. */
  readonly quote: number
  /**
   * The byte that takes the next one with it inside quotes: a backslash, or the quote where quotes
   * are doubled; -1 where no cell is quoted.
   */
  readonly escapedBy: number
  /** What else the dialect says of rows and cells; undefined where they are read as they are. */
  readonly edits?: RowEdits
}

/** The options of a dialect that change rows. `Dialect` says what they mean. */
export interface RowEdits {
  readonly quoting?: 'escapes' | 'json-lines'
  readonly nulls?: readonly string[]
  readonly trim?: true
  readonly shortRows?: 'fill'
  readonly blankLines?: 'skip'
  readonly repeatedHeader?: 'skip'
}

/**
 * How the documented files write their cells (item-feeds.md, section 2.1): a tab, a double quote and a
 * backslash.
 */
export const DOCUMENTED_CELLS: CellRules = { delimiter: 0x09, quote: 0x22, escapedBy: 0x5c }

export function isDocumented({ delimiter, quote, escapedBy }: CellRules): boolean {
  return (
    delimiter === DOCUMENTED_CELLS.delimiter &&
    quote === DOCUMENTED_CELLS.quote &&
    escapedBy === DOCUMENTED_CELLS.escapedBy
  )
}
