// Cells of JSON, whose values may be of any type.

import { excerpt } from '../../errors'
import { is } from '../../options'
import { UTF8 } from '../columns/arrow-type'
import { invalidCell, type KindOfCells } from './kind-of-cells'

export const json: KindOfCells = {
  decoder: { empty: null, decode: decodeJson, read: () => undefined },
  arrow: UTF8,
  kernel: 'JSON_CELL',
  written: { JSON: 'MADE', CSV: 'TEXT_CELL' },
}

/**
 * Decodes one JSON value, whose shape is the caller's to check.
 * @throws FeedError CELL_INVALID with the SyntaxError as its cause, OPTION_INVALID
 */
export function decodeJson(text: string): unknown {
  is.anyText('text', text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidCell('json', excerpt(String((cause as Error).message)), text, cause)
  }
}
