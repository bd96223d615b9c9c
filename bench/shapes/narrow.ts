// Rows of 40 bytes: an identifier, a title of one word and a number, and a price.

import { Draws } from './draws'
import { rowsShape } from './rows-shape'
import { WORDS } from './words'

export const narrow = rowsShape({
  bytesPerRow: 40,
  columns: ['itemId', 'title', 'priceValue', 'priceCurrency'],
  *rows(seed, count) {
    const draws = new Draws(seed)
    for (let row = 0; row < count; row++)
      yield [
        `v1|${110_000_000_000 + row * 7 + draws.below(7)}|0`,
        `${draws.often(WORDS)} ${draws.below(1000)}`,
        `${draws.below(1000)}.${draws.between(10, 99)}`,
        draws.of(['USD', 'EUR', 'GBP']),
      ]
  },
})
