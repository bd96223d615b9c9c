// Like the category of toys: listings have one item or two, and share next to nothing with others.

import { categoryShape } from './listings'
import { WORDS } from './words'

export const toys = categoryShape({
  bytesPerRow: 1290,
  variations: [1, 2],
  varying: {
    outer: { name: 'Character', values: WORDS.slice(60, 100) },
    inner: { name: 'Pieces', values: ['1', '2', '5', '10', '20'] },
  },
  aspects: [7, 13],
  titleWords: [7, 13],
  included: [0, 68],
  excluded: [60, 180],
})
