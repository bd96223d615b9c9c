// Formats a table as lines of text. The first columns are aligned to the left and hold words, the
// others are aligned to the right and hold numbers.

import { aligned } from '../bench/index'
import { printableText } from '../index'

/**
 * @param heading one cell for each column; every line has the same number of cells
 * @param words the number of columns that hold words
 */
export function textTable(
  heading: readonly string[],
  lines: readonly (readonly string[])[],
  words = 1,
): string[] {
  const rows = [heading, ...lines].map(line => line.map(printableText))
  const rule = heading.map((_, n) => '-'.repeat(Math.max(...rows.map(line => line[n]!.length))))
  const columns = [...heading.keys()]
  return aligned(rows.toSpliced(1, 0, rule), columns.slice(0, words))
}

export function cutText(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`
}
