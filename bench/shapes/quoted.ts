// The rows of `varied` with every text cell in quotes. One text cell in twenty has a quote or a
// backslash within, and so an escape; identifiers of items stay as they are.

import { documentedItemColumns } from '../../src/engine/schema/item-columns'
import { Draws } from './draws'
import { rowsShape } from './rows-shape'
import { varied } from './varied'

const SIGNS = ['"', '\\', '12"', 'C:\\']
const TEXTS = Object.entries(documentedItemColumns).flatMap(([name, { type }]) =>
  type === 'text' ? [name] : [],
)

export const quoted = rowsShape({
  bytesPerRow: 750,
  columns: varied.columns,
  quoted: TEXTS,
  *rows(seed, count) {
    const draws = new Draws(seed)
    const isText = varied.columns.map(name => name !== 'itemId' && TEXTS.includes(name))
    for (const cells of varied.rows(seed, count))
      yield cells.map((cell, n) => (isText[n] && draws.oneIn(20) ? withSign(cell, draws) : cell))
  },
})

function withSign(cell: string, draws: Draws): string {
  const at = draws.between(0, cell.length)
  return cell.slice(0, at) + draws.of(SIGNS) + cell.slice(at)
}
