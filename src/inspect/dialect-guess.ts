// Finds the encoding, the delimiter and lines of JSON by the first lines of a file, where the caller
// has not said them: the parser refuses a header line that looks like one of another dialect, and
// names the option.

import type { Dialect } from '../engine/index'
import {
  createRowParser,
  dialectOfJsonLines,
  dialectOfSeparatorLine,
  FeedError,
} from '../engine/index'

/**
 * Returns the dialect that the start of a file is read by, with what the caller says of it; undefined
 * where that is as the caller says.
 * @param given a dialect that parsers take
 * @param isWhole true where the file has nothing behind the start
 * @param name the path or the address of the file
 */
export function guessedDialect(
  start: Uint8Array,
  isWhole: boolean,
  given: Dialect = {},
  name = '',
): Dialect | undefined {
  const named = dialectOfSeparatorLine(start, given) ?? dialectOfJsonLines(start, given, name)
  if (named !== undefined) return named
  // The reason names the option, because a program can give it too. A comment has its character.
  const reason = headerRefusal(start, isWhole, given) ?? ''
  const [, encoding, delimiter] = /encoding: '([\w-]+)'|delimiter: '(.)'/.exec(reason) ?? []
  if (encoding !== undefined && given.encoding === undefined) {
    const guess = { ...given, encoding }
    return guessedDialect(start, isWhole, guess) ?? accepted(start, isWhole, guess)
  }
  if (delimiter === undefined || delimiter === given.comment) return undefined
  if (given.delimiter !== undefined || Array.isArray(given.header)) return undefined
  return accepted(start, isWhole, { ...given, delimiter, quoting: given.quoting ?? 'doubled' })
}

/** Returns the guess where the parser reads the header line by it. */
function accepted(start: Uint8Array, isWhole: boolean, guess: Dialect): Dialect | undefined {
  return headerRefusal(start, isWhole, guess) === undefined ? guess : undefined
}

/** Returns why the parser refuses the header line of a file that begins so. */
function headerRefusal(start: Uint8Array, isWhole: boolean, dialect: Dialect): string | undefined {
  const parser = createRowParser({ dialect, onBadRow: 'skip' })
  try {
    // An engine ends only behind an input that it has read.
    Array.from(parser.push(start))
    // Text in another encoding may be shorter in UTF-8 than the start that a parser waits for.
    if (isWhole || dialect.encoding !== undefined) parser.end().next()
    return undefined
  } catch (error) {
    if (FeedError.is(error)) return error.message
    throw error
  } finally {
    parser.close()
  }
}
