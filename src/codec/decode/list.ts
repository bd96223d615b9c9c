// Lists of plain values, document 2 "Item feed columns": separated by commas or by pipes, in the file's order.

/** Values between commas. Space around a value is dropped, and so are empty values: none is ever sent on purpose. */
export function decodeCommaList(text: string): string[] {
  return valuesBetween(text, ',')
}

/** Values between pipes, by the rules of {@link decodeCommaList}. */
export function decodePipeList(text: string): string[] {
  return valuesBetween(text, '|')
}

function valuesBetween(text: string, separator: string): string[] {
  const values: string[] = []
  for (const piece of text.split(separator)) {
    const value = piece.trim()
    if (value !== '') values.push(value)
  }
  return values
}
