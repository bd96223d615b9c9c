// Aspects cells (item-feeds.md, section 2.4), with the names-only form (service-notes.md,
// section 6.2):
//
//   label|name:value;name:value;label|name:value     pairs; a label is optional and covers the pairs up to the next one
//   name|name|name                                   names only, recognised by having no colon: a pair always has one
//
// Labels, names and values are Base64, each on its own; the cell may end in one semicolon.

import { is } from '../../options'
import type { Aspect } from '../../schema/values'
import { listOf, UTF8 } from '../columns/arrow-type'
import { COLON, PIPE } from './base64-pieces'
import { type CellSource, EMPTY_LIST, invalidCell, type KindOfCells } from './kind-of-cells'
import { areObjects, isText } from './object-parts'
import type { Pieces } from './piece-reader'
import { decodePieces, readPieces } from './pieces'

export const aspects: KindOfCells<readonly Aspect[]> = {
  decoder: {
    empty: EMPTY_LIST,
    decode: decodeAspects,
    read: (source, _, start, end) => readAspects(source, start, end),
  },
  arrow: /* @__PURE__ */ listOf({ label: UTF8, name: UTF8, value: UTF8 }),
  kernel: 'ASPECTS',
  fromObject: value => (areObjects(value, isAspect) ? value : undefined),
  readable: pairs => pairs.map(aspectText).join('; '),
}

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

function isAspect({ label, name, value }: Record<keyof Aspect, unknown>): boolean {
  return isTextOrNull(label) && isText(name) && isTextOrNull(value)
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value)
}

function aspectText({ label, name, value }: Aspect): string {
  const pair = value === null ? name : `${name}: ${value}`
  return label === null ? pair : `[${label}] ${pair}`
}
