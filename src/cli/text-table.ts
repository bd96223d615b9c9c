// Formats a table as text. The first column is aligned to the left and holds words, the others are
// aligned to the right and hold numbers.

/** @param heading one cell for each column; every line has the same number of cells */
export function textTable(
  heading: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...lines].map(line => line[column]!.length)),
  )
  const text = (line: readonly string[]) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd()
  return [heading, widths.map(width => '-'.repeat(width)), ...lines].map(text).join('\n')
}
