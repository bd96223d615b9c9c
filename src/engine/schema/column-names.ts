// Column names as files, schemas and callers spell them. Names are the same where they differ only
// in case, and in spaces or a byte order mark around them.

export function spellingOf(columnName: string): string {
  return columnName.trim().toLowerCase()
}

/**
 * Values by column name. A name that is not there finds the only name of the same spelling; where
 * several have that spelling, only an exact name finds one.
 */
export class NamedColumns<V> extends Map<string, V> {
  /** The name of each spelling; undefined where several names have it. */
  #names: Map<string, string | undefined> | undefined

  override has(name: string): boolean {
    return this.#nameOf(name) !== undefined
  }

  override get(name: string): V | undefined {
    const known = this.#nameOf(name)
    return known === undefined ? undefined : super.get(known)
  }

  #nameOf(name: string): string | undefined {
    return super.has(name) ? name : (this.#names ??= this.#spellings()).get(spellingOf(name))
  }

  #spellings(): Map<string, string | undefined> {
    const names = new Map<string, string | undefined>()
    for (const name of this.keys()) {
      const spelling = spellingOf(name)
      names.set(spelling, names.has(spelling) ? undefined : name)
    }
    return names
  }
}
