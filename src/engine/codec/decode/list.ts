// Decodes lists of plain values between separators, such as commas or pipes (item-feeds.md, section
// 2.2), in the order of the cell.

import { anyText, filledText } from '../../options'

/**
 * Decodes values between separators. The decoder drops space around values, and empty values, which
 * no feed sends on purpose.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { decodeList } from 'feedmill'
 *
 * console.log(decodeList('PICKUP, SHIP,', ','))
 * // => [ 'PICKUP', 'SHIP' ]
 * ```
 */
export function decodeList(text: string, separator: string): string[] {
  filledText('separator', separator)
  const values: string[] = []
  for (const piece of anyText('text', text).split(separator)) {
    const value = piece.trim()
    if (value !== '') values.push(value)
  }
  return values
}
