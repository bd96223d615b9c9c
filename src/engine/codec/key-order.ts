// The order of texts by their UTF-8 bytes, which is that of sorted files.

/**
 * Compares keys by their UTF-8 bytes, which is the order of sorted files. The operator `<`
 * compares UTF-16 units, which puts characters past U+FFFF before those from U+E000 to U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at)
    if (difference !== 0) return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at))
  }
  return a.length - b.length
}

/** Ranks surrogates, which encode the characters past U+FFFF, behind all other units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
