// A table of text: words to the left in the first column, numbers to the right in the others.

/** @param heading one cell a column; every line has as many */
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
