// The names of columns in a table: the headings as the database writes them, or those of the option
// `rename`. A heading that the database cannot have, or two that it takes for one, are refused here,
// before anything is made in it.

import { FeedError } from '../errors'
import { is, optionInvalid, show } from '../options'
import { NamedColumns } from '../schema/column-spec'

/** What a database says about the names of columns. */
export interface NameRules {
  /** The name of the sink in messages. */
  readonly name: string
  /** Returns the name that a heading without `rename` gets. */
  columnName(heading: string): string
  /** Returns one text for all names that the database takes for the same. */
  foldName(name: string): string
  /** Returns why no column can have a name that is text of SQL; undefined where one can. */
  nameFault?(name: string): string | undefined
}

/** SQLite and DuckDB keep the case of a name, and do not tell names apart by the case of A to Z. */
export const CASELESS_NAMES = {
  columnName: (heading: string) => heading,
  foldName: (name: string) => name.replace(/[A-Z]+/g, letters => letters.toLowerCase()),
}

export type ColumnRename = Readonly<Record<string, string>>

/** Returns a copy, which the caller cannot change. @throws FeedError OPTION_INVALID */
export function checkedRename(option: string, rename: ColumnRename): ColumnRename {
  is.anObject(option, rename, 'an object with a name for each heading')
  for (const [heading, name] of Object.entries(rename)) is.filledText(`${option}.${heading}`, name)
  return { ...rename }
}

/**
 * Returns the names of the columns in the order of their headings.
 * @throws FeedError OPTION_INVALID for a heading of `rename` that no column has, and for names that
 * the database cannot have
 */
export function columnNames(
  rules: NameRules,
  headings: readonly string[],
  rename: ColumnRename = {},
): string[] {
  const known = new NamedColumns(headings.map(heading => [heading, heading]))
  const renamed = new Map<string | undefined, string>()
  for (const [heading, name] of Object.entries(rename)) {
    const found = known.get(heading)
    if (found === undefined || renamed.has(found))
      throw optionInvalid('rename', `by headings of the table (${headings.join(', ')})`, heading)
    renamed.set(found, name)
  }
  const owners = new Map<string, string>()
  return headings.map(heading => {
    const name = renamed.get(heading) ?? rules.columnName(heading)
    const fault = faultOf(rules, name, owners.get(rules.foldName(name)))
    owners.set(rules.foldName(name), heading)
    if (fault === undefined) return name
    const message = `${rules.name} cannot have a column ${show(name)} for the heading ${show(heading)}, because ${fault}: give it another name in the option rename, or leave it out by the option columns`
    const context = { option: 'rename', expected: 'a name for each column', received: show(name) }
    throw new FeedError('OPTION_INVALID', message, context)
  })
}

/** @param owner the heading that has the name already */
function faultOf(rules: NameRules, name: string, owner: string | undefined): string | undefined {
  if (owner !== undefined) return `the heading ${show(owner)} has this name there`
  // SQL ends at a NUL, and has U+FFFD in place of half a character.
  return /[\0\p{Cs}]/u.test(name) ? 'it has a NUL or half a character' : rules.nameFault?.(name)
}
