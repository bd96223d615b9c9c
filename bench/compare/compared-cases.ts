// Which cases are compared: those of this package that use its public names only, so that the same
// case drives either build. `scan` and `inflate` are built from the sources, so they would measure
// the same engine on both sides.

import type { MacroCaseName } from '../macro/cases'

export const COMPARED_CASES = [
  'rows-5',
  'objects',
  'typed',
] as const satisfies readonly MacroCaseName[]

export type ComparedCase = (typeof COMPARED_CASES)[number]
