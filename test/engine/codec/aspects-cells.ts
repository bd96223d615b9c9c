// Aspects cells for properties: good ones of every form with pairs, and odd ones.

import fc from 'fast-check'
import { decodeAspects } from '../../../src/engine/codec/kinds/aspects'
import type { Aspect } from '../../../src/engine/schema/values'

/** Returns the pairs of a cell, or undefined where it is no good cell. */
export function decodedAspects(cell: string): Aspect[] | undefined {
  try {
    return decodeAspects(cell)
  } catch {
    return undefined
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const goodPiece = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'Color',
      'Size',
      'Country/Region of Manufacture',
      'Größe',
      '',
      '\ufffd',
      'a'.repeat(47),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
)
const goodPair = fc
  .tuple(fc.option(goodPiece), goodPiece, goodPiece)
  .map(
    ([label, name, value]) =>
      `${label === null ? '' : `${base64(label)}|`}${base64(name)}:${base64(value)}`,
  )

export const goodCell = fc
  .tuple(fc.array(goodPair, { minLength: 1, maxLength: 6 }), fc.constantFrom('', ';'))
  .map(([pairs, end]) => pairs.join(';') + end)

const oddPiece = fc.string({
  unit: fc.constantFrom('Q', 'U', 'g', '/', '=', '-', 'é', '"', ';', ':', '|'),
  maxLength: 24,
})

/** Most of these are no good cells. */
export const oddCell = fc.oneof(
  fc
    .array(fc.oneof(goodCell, goodPiece.map(base64), oddPiece, fc.constantFrom(':', ';', '|')), {
      minLength: 1,
      maxLength: 6,
    })
    .map(parts => parts.join('')),
  fc.tuple(goodCell, fc.nat(80)).map(([cell, cut]) => cell.slice(0, cut)),
)
