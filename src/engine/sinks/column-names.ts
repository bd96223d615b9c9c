// The names of columns in a table: the headings as the database writes them, or those of the option
// `rename`. A heading that the database cannot have, or two that it takes for one, are refused here,
// before anything is made in it.

import { FeedError } from '../errors'
import { anObject, filledText, optionInvalid, show } from '../options'
import { NamedColumns } from '../schema/column-spec'

/** What a database says about the names of columns. */
export interface NameRules {
  /** The name of the sink in messages. */
  readonly name: string
  /** Returns the name that a heading without `rename` gets. */
  columnName(heading: string): string
  /** Returns one text for all names that the database takes for the same. */
  foldName(name: string): string
  /** Returns why no column can have the name; undefined where one can. */
  nameFault(name: string): string | undefined
}

/** The rules of SQLite and of DuckDB, which tell names apart but for the case of A to Z. */
export const CASELESS_NAMES: Omit<NameRules, 'name' | 'nameFault'> = {
  columnName: heading => heading,
  foldName: name => name.replace(/[A-Z]+/g, letters => letters.toLowerCase()),
}

export type ColumnRename = Readonly<Record<string, string>>

/** Returns a copy, which later changes of the caller's do not reach. @throws FeedError OPTION_INVALID */
export function checkedRename(rename: ColumnRename): ColumnRename {
  const names = Object.entries(anObject('rename', rename, 'an object with a name for each heading'))
  for (const [heading, name] of names) filledText(`rename[${show(heading)}]`, name)
  return Object.fromEntries(names)
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
  const renamed = renamedColumns(headings, rename)
  const known = new Map<string, string>()
  return headings.map(heading => {
    const name = renamed.get(heading) ?? rules.columnName(heading)
    const column = `the column ${show(name)} of the heading ${show(heading)}`
    const fault = faultOf(name) ?? rules.nameFault(name)
    if (fault !== undefined) throw unnamed(rules, `${column}, because ${fault}`, name)
    const other = known.get(rules.foldName(name))
    if (other !== undefined)
      throw unnamed(
        rules,
        `${column} beside that of the heading ${show(other)}, because it takes their names for the same`,
        name,
      )
    known.set(rules.foldName(name), heading)
    return name
  })
}

/** Returns the new names by the headings as the columns have them. */
function renamedColumns(headings: readonly string[], rename: ColumnRename): Map<string, string> {
  const known = new NamedColumns(headings.map(heading => [heading, heading]))
  const renamed = new Map<string, string>()
  for (const [heading, name] of Object.entries(rename)) {
    const found = known.get(heading)
    if (found === undefined || renamed.has(found))
      throw optionInvalid(
        'rename',
        `by headings of the table, each once (${headings.join(', ')})`,
        heading,
      )
    renamed.set(found, name)
  }
  return renamed
}

/** No database has such a name: it would end at the NUL, or get U+FFFD in place of half a character. */
function faultOf(name: string): string | undefined {
  if (name.includes('\0')) return 'it has a NUL'
  return /\p{Cs}/u.test(name) ? 'it has half of a character of two' : undefined
}

function unnamed(
  { name: sink }: NameRules,
  what: string,
  name: string,
): FeedError<'OPTION_INVALID'> {
  const cure = 'give it another name in the option rename, or leave it out by the option columns'
  const expected = 'such that the database can have every column under a name of its own'
  const message = `${sink} cannot have ${what}: ${cure}`
  return new FeedError('OPTION_INVALID', message, {
    option: 'rename',
    expected,
    received: show(name),
  })
}
