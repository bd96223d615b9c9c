// Identifiers of the service as parts of addresses and of file names. No identifier leads out of a
// path or of a folder.

import { createHash } from 'node:crypto'
import { excerpt, FeedError, is } from '../engine/index'

/**
 * Identifiers that are refused: empty ones, dot segments, and those with separators, control
 * characters or lone surrogates. URL parsers read a backslash as a slash. Encoding alone is not
 * enough, because `encodeURIComponent('..')` is `..`, which leads out of the path.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are searched for
const REFUSED = /^$|^\.\.?$|[/\\\u0000-\u001f\u007f]|\p{Surrogate}/u

/**
 * Returns the identifier percent-encoded as one path segment. Throws HTTP_IDENTIFIER_INVALID, which
 * names `parameter`.
 */
export function pathSegment(parameter: string, identifier: string): string {
  is.filledText('parameter', parameter)
  if (REFUSED.test(is.anyText(parameter, identifier))) {
    const context = { parameter, excerpt: excerpt(JSON.stringify(identifier), 60) }
    throw new FeedError(
      'HTTP_IDENTIFIER_INVALID',
      `${parameter} cannot be one segment of a path: check the identifier`,
      context,
    )
  }
  return encodeURIComponent(identifier)
}

/** Returns the identifier that a segment stands for; '' where its percent-encoding is broken. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

/** The limit of a name without suffixes. File systems allow 255 bytes. */
const MAX_NAME_BYTES = 200

/**
 * Returns one file name for several identifiers, with the ending `.tsv.gz`. Letters, digits, `_`
 * and `-` stay, and every other byte becomes `%XX`, so different identifiers give different names.
 * A name above the limit is cut and ends in a hash of the whole name. Throws
 * HTTP_IDENTIFIER_INVALID for an empty identifier.
 *
 * @example
 * ```ts
 * import { fileNameOf } from 'feedmill/service'
 *
 * console.log(fileNameOf('item', ['MKT_US', '220']))
 * // => item.MKT_US.220.tsv.gz
 * ```
 */
export function fileNameOf(kind: string, identifiers: readonly string[]): string {
  const name = [
    is.anyText('kind', kind),
    ...is
      .arrayOf('identifiers', identifiers)
      .map(identifier => is.anyText('identifiers', identifier)),
  ]
    .map(namePart)
    .join('.')
  if (name.length <= MAX_NAME_BYTES) return `${name}.tsv.gz`
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32)
  // No encoded identifier contains `%-`, so a cut name differs from every other name.
  return `${name.slice(0, MAX_NAME_BYTES - 34)}%-${hash}.tsv.gz`
}

function namePart(identifier: string): string {
  if (identifier === '') {
    const context = { parameter: 'file name', excerpt: excerpt(identifier) }
    throw new FeedError(
      'HTTP_IDENTIFIER_INVALID',
      'a file cannot be named after an empty identifier',
      context,
    )
  }
  const bytes = Buffer.from(identifier, 'utf8').toString('latin1')
  return bytes.replace(/[^\w-]/g, escapedByte)
}

function escapedByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
