// Like the largest real category: clothes in colours and sizes, and long lists of excluded countries.

import { categoryShape } from './listings'
import { WORDS } from './words'

export const clothing = categoryShape({
  bytesPerRow: 1400,
  variations: [1, 20],
  varying: {
    outer: { name: 'Color', values: WORDS.slice(0, 40) },
    inner: { name: 'Size', values: ['XS', 'S', 'M', 'L', 'XL', '2XL', '3XL', '4XL', '5XL'] },
  },
  aspects: [8, 18],
  titleWords: [7, 12],
  included: [0, 90],
  excluded: [60, 160],
})
