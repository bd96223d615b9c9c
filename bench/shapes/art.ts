// Like the art category: prints in materials and formats, of sellers who ship nearly everywhere.

import { categoryShape } from './listings'
import { WORDS } from './words'

export const art = categoryShape({
  bytesPerRow: 990,
  variations: [1, 20],
  varying: {
    outer: { name: 'Material', values: WORDS.slice(40, 46) },
    inner: { name: 'Size', values: ['A0', 'A1', 'A2', 'A3', 'A4', '10x10', '20x30', '24x36'] },
  },
  aspects: [6, 14],
  titleWords: [6, 12],
  included: [0, 20],
  excluded: [0, 84],
})
