// Cells of conditionDescriptors (service-notes.md, section 6.3): `name:value|value;name:value`,
// each piece Base64 on its own.

import { is } from '../../options'
import type { ConditionDescriptor } from '../../schema/values'
import { listOf, TEXTS, UTF8 } from '../columns/arrow-type'
import { COLON, PIPE } from './base64-pieces'
import { type CellSource, EMPTY_LIST, invalidCell, type KindOfCells } from './kind-of-cells'
import { areObjects, areTexts, isText } from './object-parts'
import type { Pieces } from './piece-reader'
import { decodePieces, readPieces } from './pieces'

export const conditionDescriptors: KindOfCells<readonly ConditionDescriptor[]> = {
  decoder: {
    empty: EMPTY_LIST,
    decode: decodeConditionDescriptors,
    read: (source, _, start, end) => readConditionDescriptors(source, start, end),
  },
  arrow: /* @__PURE__ */ listOf({ name: UTF8, values: TEXTS }),
  kernel: 'DESCRIPTORS',
  fromObject: value => (areObjects(value, isDescriptor) ? value : undefined),
  readable: descriptors =>
    descriptors.map(({ name, values }) => `${name}: ${values.join(', ')}`).join('; '),
}

/**
 * Decodes the descriptors of a cell in order. The cell may end in one semicolon. An empty piece is
 * an empty text.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeConditionDescriptors(text: string): ConditionDescriptor[] {
  is.anyText('text', text)
  if (text === '' || text === ';') return []
  const descriptors = descriptorsOf(decodePieces(text, 'conditionDescriptors'))
  if (descriptors !== undefined) return descriptors
  throw invalidCell('conditionDescriptors', 'not of the form name:value|value', text)
}

/** Reads a cell. Returns undefined where {@link decodeConditionDescriptors} has to decide. */
export function readConditionDescriptors(
  source: CellSource,
  start: number,
  end: number,
): ConditionDescriptor[] | undefined {
  const pieces: Pieces = { texts: [], separators: [] }
  return readPieces(source, start, end, undefined, pieces) ? descriptorsOf(pieces) : undefined
}

function descriptorsOf({ texts, separators }: Pieces): ConditionDescriptor[] | undefined {
  const descriptors: ConditionDescriptor[] = []
  let name: string | undefined
  let values: string[] = []
  for (let n = 0; n < texts.length; n++) {
    const isName = separators[n] === COLON
    if (isName !== (name === undefined)) return undefined
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

function isDescriptor({ name, values }: Record<keyof ConditionDescriptor, unknown>): boolean {
  return isText(name) && areTexts(values)
}
