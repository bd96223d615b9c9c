// Records to TSV, the dialect of item-feeds.md, section 2.1: a cell is wrapped in double quotes
// when it holds a tab, a quote, a backslash or a line end; inside, quotes and backslashes are
// preceded by a backslash. Lines end in LF, the last one too.

const MUST_QUOTE = /[\t"\\\n\r]/
const ESCAPED = /["\\]/g

/** The size of the text of a block. A block ends at the first row end past it. */
const BLOCK_CHARS = 256 * 1024

/** Returns a cell in the form of the file. */
export function tsvCell(value: string): string {
  return MUST_QUOTE.test(value) ? `"${value.replace(ESCAPED, '\\$&')}"` : value
}

/** Returns a line with its line end. */
export function tsvLine(cells: readonly string[]): string {
  let line = ''
  for (let i = 0; i < cells.length; i++)
    line += i === 0 ? tsvCell(cells[i]!) : `\t${tsvCell(cells[i]!)}`
  return `${line}\n`
}

/** Yields UTF-8 blocks of whole lines. The caller owns the blocks. */
export function* tsvBlocks(
  lines: Iterable<string>,
  blockChars = BLOCK_CHARS,
): Generator<Uint8Array, void, void> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length >= blockChars) {
      yield Buffer.from(text, 'utf8')
      text = ''
    }
  }
  if (text !== '') yield Buffer.from(text, 'utf8')
}
