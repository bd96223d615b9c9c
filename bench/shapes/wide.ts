// Rows of 400 columns: those of `varied`, each with nine attributes after it. A row has a third of
// the attributes.

import { Draws } from './draws'
import { rowsShape } from './rows-shape'
import { varied } from './varied'
import { WORDS } from './words'

const COLUMNS = 400
/** Which columns the cells of `varied` stand in, in order. */
const EVERY = Math.floor(COLUMNS / varied.columns.length)

const columns = Array.from({ length: COLUMNS }, (_, n) =>
  n % EVERY === 0 ? (varied.columns[n / EVERY] ?? `attribute${n}`) : `attribute${n}`,
)

export const wide = rowsShape({
  bytesPerRow: 1600,
  columns,
  quoted: ['title'],
  *rows(seed, count) {
    const draws = new Draws(seed)
    const places = columns.map(name => varied.columns.indexOf(name))
    for (const cells of varied.rows(seed, count))
      yield places.map(place => (place < 0 ? attribute(draws) : cells[place]!))
  },
})

function attribute(draws: Draws): string {
  if (!draws.oneIn(3)) return ''
  return draws.oneIn(2) ? draws.often(WORDS) : `${draws.below(1000)}`
}
