// Cells of texts that the schema names.

import { excerpt } from '../../errors'
import { invalidCell, type KindOfCells } from './kind-of-cells'

export const oneOf: KindOfCells<string | null> = {
  decoder({ values = [] }) {
    // The values of the map are strings of the schema, which pin no text of the file.
    const known = new Map(values.map(value => [value, value]))
    const expected = `not one of ${excerpt(values.join(', '))}`
    const decode = (text: string) => {
      const value = known.get(text)
      if (value === undefined) throw invalidCell('oneOf', expected, text)
      return value
    }
    return { empty: null, decode, read: () => undefined }
  },
  arrow: ({ values = [] }) => ({ kind: 'dictionary', values }),
  kernel: 'CHOICE',
  written: { JSON: 'TEXT_CELL', COPY: 'TEXT_CELL', CSV: 'TEXT_CELL' },
  scalar: 'text',
}
