// The text inside a quoted cell (item-feeds.md, section 2.1): a quote is preceded by a backslash, a
// backslash is doubled.

/** Undoes `\"` and `\\`. A backslash before anything else is kept as written. */
export function unescapeCell(text: string): string {
  return text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text
}
