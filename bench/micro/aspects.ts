// localizedAspects cells to labels, names and values.

import { decodeAspects } from '../../src/engine/codec/kinds/aspects'
import { cellCase } from './cell-case'

export const aspects = cellCase({
  name: 'aspects',
  column: 'localizedAspects',
  decode: decodeAspects,
  entries: pairs => pairs.length,
  // A pair has one colon, and Base64 has none.
  entriesInText: cell => cell.split(':').length - 1,
})
