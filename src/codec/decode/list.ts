// Lists of plain values (item-feeds.md, section 2.2): separated by commas or by pipes, in the
// file's order.

import { anyText } from '../../options'

/**
 * Values between commas. Space around a value is dropped, and so are empty values: none is ever
 * sent on purpose.
 * @throws FeedError OPTION_INVALID
 */
export function decodeCommaList(text: string): string[] {
  return valuesBetween(text, ',')
}

/**
 * Values between pipes, by the rules of {@link decodeCommaList}.
 * @throws FeedError OPTION_INVALID
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
