// Finds the delimiter of a file by its header line, where the caller has not said it: the parser
// refuses a header line that looks like one of another dialect, and names the delimiter.

import type { Dialect } from '../engine/index'
import { createRowParser, FeedError } from '../engine/index'

/**
 * Returns the dialect that the start of a file is read by, with what the caller says of it; undefined
 * where that is as the caller says.
 * @param given a dialect that parsers take
 * @param isWhole true where the file has nothing behind the start
 */
export function guessedDialect(
  start: Uint8Array,
  isWhole: boolean,
  given: Dialect = {},
): Dialect | undefined {
  if (given.delimiter !== undefined || Array.isArray(given.header)) return undefined
  // The reason names the option, because a program can give it too. A comment has its character.
  const reason = headerRefusal(start, isWhole, given) ?? ''
  const [, delimiter] = /delimiter: '(.)'/.exec(reason) ?? []
  if (delimiter === undefined || delimiter === given.comment) return undefined
  const guess: Dialect = { ...given, delimiter, quoting: given.quoting ?? 'doubled' }
  return headerRefusal(start, isWhole, guess) === undefined ? guess : undefined
}

/** Returns why the parser refuses the header line of a file that begins so. */
function headerRefusal(start: Uint8Array, isWhole: boolean, dialect: Dialect): string | undefined {
  const parser = createRowParser({ dialect, onBadRow: 'skip' })
  try {
    // An engine ends only behind an input that it has read.
    Array.from(parser.push(start))
    if (isWhole) parser.end().next()
    return undefined
  } catch (error) {
    if (FeedError.is(error)) return error.message
    throw error
  } finally {
    parser.close()
  }
}
