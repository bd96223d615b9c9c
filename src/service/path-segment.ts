// Makes one segment of a URL's path from an identifier. Encoding alone is not enough, because
// `encodeURIComponent('..')` is `..`, which leads out of the path.

import { anyText, excerpt, FeedError, filledText } from '../engine/index'

/**
 * Identifiers that are refused: empty ones, dot segments, and those with separators, control
 * characters or lone surrogates. URL parsers read a backslash as a slash.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are searched for
const REFUSED = /^$|^\.\.?$|[/\\\u0000-\u001f\u007f]|\p{Surrogate}/u

/**
 * Returns the identifier percent-encoded as one path segment. Throws HTTP_IDENTIFIER_INVALID, which
 * names `parameter`.
 *
 * @example
 * ```ts
 * import { pathSegment } from 'feedmill'
 *
 * console.log(pathSegment('file_id', 'a b'))
 * // => a%20b
 * ```
 */
export function pathSegment(parameter: string, identifier: string): string {
  filledText('parameter', parameter)
  if (REFUSED.test(anyText(parameter, identifier))) {
    const context = { parameter, excerpt: excerpt(JSON.stringify(identifier), 60) }
    throw new FeedError(
      'HTTP_IDENTIFIER_INVALID',
      `${parameter} cannot be one segment of a path: check the identifier`,
      context,
    )
  }
  return encodeURIComponent(identifier)
}
