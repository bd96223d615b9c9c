// Formats a table as lines of text. The first columns are aligned to the left and hold words, the
// others are aligned to the right and hold numbers.
import { printableText } from '../index'

/**
 * @param heading one cell for each column; every line has the same number of cells
 * @param options.words the number of columns that hold words. Default 1
 */
export function textTable(
  heading: readonly string[],
  lines: readonly (readonly string[])[],
  { words = 1 }: { readonly words?: number } = {},
): string[] {
  const rows = [heading, ...lines].map(line => line.map(printableText))
  const widths = heading.map((_, column) => Math.max(...rows.map(line => line[column]!.length)))
  const text = (line: readonly string[]) =>
    line
      .map((cell, column) =>
        column < words ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd()
  rows.splice(
    1,
    0,
    widths.map(width => '-'.repeat(width)),
  )
  return rows.map(text)
}
