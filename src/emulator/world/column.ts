// A column of a feed file.

/**
 * A column and how its cell is made from a record. Cells are the values before any quoting; An
 * empty cell means null. The cell shows all changes up to `at`, in milliseconds since the epoch:
 * the state of a record says when it last changed, and a few cells (those about campaigns) change
 * without it.
 */
export interface Column<Of> {
  readonly name: string
  cell(of: Of, at: number): string
}
