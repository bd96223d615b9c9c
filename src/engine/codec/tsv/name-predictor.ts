// Indexes of columns by name. Readers ask for the same few names in the same order row after row, so
// the name that is asked for next is predicted from the last one.

import { NamedColumns } from '../../schema/column-spec'

/** The most names whose order the predictor remembers. */
const MAX_NAMES = 16

/** A name in the order in which names were first asked for; the first one follows the last. */
interface AskedName {
  readonly name: string
  readonly column: number
  next: AskedName
}

export class NamePredictor {
  readonly #columns: NamedColumns<number>
  readonly #asked: AskedName[] = []
  #expected: AskedName | undefined

  constructor(columns: readonly { readonly name: string }[]) {
    this.#columns = new NamedColumns(columns.map(({ name }, index) => [name, index]))
  }

  get(name: string): number | undefined {
    const expected = this.#expected
    if (expected === undefined || expected.name !== name) return this.#look(name)
    this.#expected = expected.next
    return expected.column
  }

  #look(name: string): number | undefined {
    const column = this.#columns.get(name)
    if (column === undefined) return undefined
    const asked = this.#asked.find(one => one.name === name) ?? this.#remember(name, column)
    this.#expected = asked?.next ?? this.#expected
    return column
  }

  #remember(name: string, column: number): AskedName | undefined {
    if (this.#asked.length === MAX_NAMES) return undefined
    const asked = { name, column } as AskedName
    const last = this.#asked.at(-1) ?? asked
    asked.next = this.#asked[0] ?? asked
    last.next = asked
    this.#asked.push(asked)
    return asked
  }
}
