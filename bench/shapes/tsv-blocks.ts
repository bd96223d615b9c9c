// Rows as a file of the service has them: tabs between cells, a line feed after each row, and a
// backslash before a quote or a backslash in a quoted cell.

import type { ShapeRow } from './shape'

/** Letters that are gathered before they become a block of bytes. */
const BLOCK_LETTERS = 2 ** 20
const NEEDS_QUOTES = /["\\\t\r\n]/
const ESCAPED = /["\\]/g

/** @param quoted the columns whose cells are quoted whether they need it or not */
export function* tsvBlocks(
  columns: readonly string[],
  rows: Iterable<ShapeRow>,
  quoted: ReadonlySet<string>,
): Generator<Uint8Array, void, void> {
  const isQuoted = columns.map(name => quoted.has(name))
  let text = `${columns.join('\t')}\n`
  for (const row of rows) {
    text += `${row.map((cell, n) => cellText(cell, isQuoted[n]!)).join('\t')}\n`
    if (text.length < BLOCK_LETTERS) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

function cellText(cell: string, isQuoted: boolean): string {
  return isQuoted || NEEDS_QUOTES.test(cell) ? `"${cell.replace(ESCAPED, '\\$&')}"` : cell
}
