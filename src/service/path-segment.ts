// Puts an identifier into a URL's path so that it stays one segment of it.
// `encodeURIComponent('..')` is `..`: encoding alone lets an identifier climb out of its path.

import { excerpt, FeedError } from '../errors'
import { anyText, filledText } from '../options'

/**
 * Empty, dot segments, separators, control characters, and half characters. A leading slash makes a
 * path absolute; so does a backslash for URL parsers.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const REFUSED = /^$|^\.\.?$|[/\\\u0000-\u001f\u007f]|\p{Surrogate}/u

/**
 * The identifier percent-encoded as one path segment. `parameter` names it in the error
 * HTTP_IDENTIFIER_INVALID.
 */
export function pathSegment(parameter: string, identifier: string): string {
  filledText('parameter', parameter)
  if (REFUSED.test(anyText(parameter, identifier))) {
    const context = { parameter, excerpt: excerpt(JSON.stringify(identifier), 60) }
    throw new FeedError('HTTP_IDENTIFIER_INVALID', `${parameter} cannot stand in a path`, context)
  }
  return encodeURIComponent(identifier)
}
