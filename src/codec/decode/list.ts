// Decodes lists of plain values, which commas or pipes separate (item-feeds.md, section 2.2), in
// the order of the cell.

import { anyText } from '../../options'

/**
 * Decodes values between commas. The decoder drops space around values, and empty values, which no
 * feed sends on purpose.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { decodeCommaList } from 'feedmill'
 *
 * console.log(decodeCommaList('PICKUP, SHIP,'))
 * // => [ 'PICKUP', 'SHIP' ]
 * ```
 */
export function decodeCommaList(text: string): string[] {
  return valuesBetween(text, ',')
}

/**
 * Decodes values between pipes, by the rules of {@link decodeCommaList}.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { decodePipeList } from 'feedmill'
 *
 * console.log(decodePipeList('NEW|PRICE_CHANGE'))
 * // => [ 'NEW', 'PRICE_CHANGE' ]
 * ```
 */
export function decodePipeList(text: string): string[] {
  return valuesBetween(text, '|')
}

function valuesBetween(text: string, separator: string): string[] {
  const values: string[] = []
  for (const piece of anyText('text', text).split(separator)) {
    const value = piece.trim()
    if (value !== '') values.push(value)
  }
  return values
}
