// Aspects cells (item-feeds.md, section 2.4), with the names-only form (service-notes.md,
// section 6.2):
//
//   label|name:value;name:value;label|name:value     pairs; a label is optional and covers the pairs up to the next one
//   name|name|name                                   names only, recognised by having no colon: a pair always has one
//
// Labels, names and values are Base64, each on its own; the cell may end in one semicolon.

import { is } from '../../options'
import type { Aspect, CellType, ConditionDescriptor } from '../../schema/values'
import { COLON, PIPE, whatIsWrongWith } from './base64-pieces'
import { type CellSource, invalidCell } from './cell-decoder'
import { type Pieces, pieceReader } from './piece-reader'

const readPieces = pieceReader()

/**
 * Decodes the pairs of a cell in order, each with the label that covers it. In the names-only form
 * every `value` is null. Decoded text may hold any character, the separators too. An empty piece is
 * an empty text, but the names-only form has no empty names.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeAspects } from 'feedmill'
 *
 * const cell = `${btoa('Brand')}:${btoa('Acme')};${btoa('Colour')}:${btoa('red')}`
 * for (const { name, value } of decodeAspects(cell)) console.log(name, value)
 * // => Brand Acme
 * // => Colour red
 * ```
 */
export function decodeAspects(text: string): Aspect[] {
  is.anyText('text', text)
  if (text === '' || text === ';') return []
  const pieces = decodePieces(text, 'aspects')
  return text.includes(':') ? pairsOf(pieces, text) : namesOf(pieces, text)
}

/** Reads the pairs of a cell. Returns undefined where {@link decodeAspects} has to decide. */
export function readAspects(source: CellSource, start: number, end: number): Aspect[] | undefined {
  const aspects: Aspect[] = []
  return readPieces(source, start, end, aspects) ? aspects : undefined
}

function pairsOf({ texts, separators }: Pieces, cell: string): Aspect[] {
  const aspects: Aspect[] = []
  let label: string | null = null
  let labelJustRead = false
  let name: string | undefined
  for (let n = 0; n < texts.length; n++) {
    const text = texts[n]!
    if (separators[n] === PIPE) {
      if (labelJustRead || name !== undefined)
        throw invalidCell('aspects', 'a pipe that does not end a label', cell)
      label = text
      labelJustRead = true
    } else if (separators[n] === COLON) {
      if (name !== undefined) throw invalidCell('aspects', 'two colons in a pair', cell)
      name = text
    } else {
      if (name === undefined) throw invalidCell('aspects', 'a pair without a colon', cell)
      aspects.push({ label, name, value: text })
      labelJustRead = false
      name = undefined
    }
  }
  return aspects
}

function namesOf({ texts, separators }: Pieces, cell: string): Aspect[] {
  if (separators.slice(0, -1).some(separator => separator !== PIPE))
    throw invalidCell('aspects', 'a pair without a colon', cell)
  if (texts.includes('')) throw invalidCell('aspects', 'an empty name', cell)
  return texts.map(name => ({ label: null, name, value: null }))
}

/** Room behind a cell, to read ahead. */
const ROOM = '\t'.repeat(32)

/**
 * Splits a cell at every separator and decodes the pieces. A semicolon at the very end closes the
 * last piece and begins no other.
 * @throws FeedError CELL_INVALID
 */
export function decodePieces(text: string, type: CellType): Pieces {
  const bytes = Buffer.from(text + ROOM)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const pieces: Pieces = { texts: [], separators: [] }
  if (readPieces({ bytes, view }, 0, bytes.length - ROOM.length, undefined, pieces)) return pieces
  const piece = text.split(/[:;|]/)[pieces.texts.length] ?? text
  throw invalidCell(type, whatIsWrongWith(piece), piece)
}

// Cells of conditionDescriptors (service-notes.md, section 6.3): `name:value|value;name:value`,
// each piece Base64 on its own.

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
