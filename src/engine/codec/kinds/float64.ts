// Cells of numbers as doubles, with or without exponent.

import { is } from '../../options'
import { invalidCell, type KindOfCells } from './kind-of-cells'

export const float64: KindOfCells<number | null> = {
  decoder: { empty: null, decode: decodeFloat64, read: () => undefined },
  arrow: { kind: 'float64' },
  kernel: 'FLOAT64',
  written: { JSON: 'MADE', COPY: 'MADE', CSV: 'MADE' },
  isLiteral: true,
  order: { numberOf: Number, isInModule: false },
  scalar: 'double precision',
}

/**
 * Decodes digits with an optional minus in front, an optional fraction and an optional exponent
 * (`12`, `-0.5`, `1.5e-7`, `2E+3`), without plus in front, grouping or space. It gives the nearest
 * double, and refuses NaN, Infinity and numbers beyond the largest double.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeFloat64(text: string): number {
  is.anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text))
    throw invalidCell('float64', 'not a number', text)
  const value = Number(text)
  if (!Number.isFinite(value)) throw invalidCell('float64', 'beyond the largest double', text)
  return value
}
