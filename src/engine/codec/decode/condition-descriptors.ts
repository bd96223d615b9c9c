// Cells of conditionDescriptors (service-notes.md, section 6.3): `name:value|value;name:value`,
// each piece Base64 on its own.

import { anyText } from '../../options'
import type { ConditionDescriptor } from '../../schema/values'
import { COLON, decodePieces, PIPE } from './base64-pieces'
import { invalidCell } from './invalid-cell'

/**
 * Decodes the descriptors of a cell in order. The cell may end in one semicolon. An empty piece is
 * an empty text.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeConditionDescriptors } from 'feedmill'
 *
 * const cell = `${btoa('Grade')}:${btoa('9.5')}|${btoa('mint')}`
 * for (const { name, values } of decodeConditionDescriptors(cell)) console.log(name, values)
 * // => Grade [ '9.5', 'mint' ]
 * ```
 */
export function decodeConditionDescriptors(text: string): ConditionDescriptor[] {
  anyText('text', text)
  if (text === '' || text === ';') return []
  const { texts, separators } = decodePieces(text, 'conditionDescriptors')
  const descriptors: ConditionDescriptor[] = []
  let name: string | undefined
  let values: string[] = []
  for (let n = 0; n < texts.length; n++) {
    const isName = separators[n] === COLON
    if (isName !== (name === undefined))
      throw invalidCell('conditionDescriptors', 'not of the form name:value|value', text)
    if (isName) {
      name = texts[n]!
      continue
    }
    values.push(texts[n]!)
    if (separators[n] === PIPE) continue
    descriptors.push({ name: name!, values })
    name = undefined
    values = []
  }
  return descriptors
}
