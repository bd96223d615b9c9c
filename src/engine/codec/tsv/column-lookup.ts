// Column indexes by name. Readers ask for the same few names in the same order row after row, so
// the lookup predicts the next name from the last one, and a right prediction costs one comparison.

import { NamedColumns } from '../../schema/column-names'

/** The most names whose order the lookup remembers. */
const MAX_NAMES = 16

export class ColumnLookup {
  readonly #columns: NamedColumns<number>
  /** Names in the order in which they were first asked for, with their columns. */
  readonly #names: string[] = []
  readonly #numbers: number[] = []
  /** Place in `#names` of the name that is expected next. */
  #next = 0

  constructor(columns: ReadonlyMap<string, number>) {
    this.#columns = new NamedColumns(columns)
  }

  has(name: string): boolean {
    return this.#columns.has(name)
  }

  get(name: string): number | undefined {
    const at = this.#next
    if (this.#names[at] !== name) return this.#look(name)
    this.#next = at + 1 === this.#names.length ? 0 : at + 1
    return this.#numbers[at]
  }

  #look(name: string): number | undefined {
    const column = this.#columns.get(name)
    if (column === undefined) return undefined
    let at = this.#names.indexOf(name)
    if (at < 0 && this.#names.length < MAX_NAMES) {
      at = this.#names.push(name) - 1
      this.#numbers.push(column)
    }
    if (at >= 0) this.#next = at + 1 === this.#names.length ? 0 : at + 1
    return column
  }
}
