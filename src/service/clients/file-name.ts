// Identifiers of the service as names of files on this machine: a name cannot leave its folder,
// whatever the identifier is.

import { createHash } from 'node:crypto'
import { excerpt, FeedError } from '../../errors'
import { anyText, arrayOf } from '../../options'

/** File systems allow 255 bytes; the rest is for suffixes. */
const MAX_BYTES = 200

/**
 * One file name of several identifiers, ending in `.tsv.gz`. Letters, digits, `_` and `-` stay;
 * every other byte becomes `%XX`, so that different identifiers give different names. A name that
 * would be too long ends in a hash of the whole. Throws HTTP_IDENTIFIER_INVALID for an empty
 * identifier.
 */
export function fileNameOf(kind: string, identifiers: readonly string[]): string {
  const name = [
    anyText('kind', kind),
    ...arrayOf('identifiers', identifiers).map(identifier => anyText('identifiers', identifier)),
  ]
    .map(namePart)
    .join('.')
  if (name.length <= MAX_BYTES) return `${name}.tsv.gz`
  // Two characters that no identifier can bring, wherever the cut falls.
  return `${name.slice(0, MAX_BYTES - 34)}%-${createHash('sha256').update(name).digest('hex').slice(0, 32)}.tsv.gz`
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
  return Array.from(Buffer.from(identifier, 'utf8'), byte =>
    SAFE.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : escaped(byte),
  ).join('')
}

const SAFE = /[\w-]/

function escaped(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
