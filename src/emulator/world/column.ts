// A column of a feed file.

/**
 * A column and how its cell is made from a record. Cells are the values before any quoting; '' is
 * null. `at` is the moment, in milliseconds since the epoch, up to which everything that happened
 * shows: the state of a record says when it last changed, and a few cells (those about campaigns)
 * change without it.
 */
export interface Column<Of> {
  readonly name: string
  cell(of: Of, at: number): string
}
