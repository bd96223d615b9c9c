// Decodes JSON. The shape of the value is the caller's to check.

import { excerpt } from '../../errors'
import { anyText } from '../../options'
import { invalidCell } from './invalid-cell'

/**
 * Decodes one JSON value.
 * @throws FeedError CELL_INVALID with the SyntaxError as its cause, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeJson } from 'feedmill'
 *
 * console.log(decodeJson('{"size":[38,40]}'))
 * // => { size: [ 38, 40 ] }
 * ```
 */
export function decodeJson(text: string): unknown {
  anyText('text', text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidCell('json', excerpt(String((cause as Error).message)), text, cause)
  }
}
