// Finds a parameter that comes more than once in a query or a form. No document says which of its
// values counts, so every operation refuses it (13000 in item-feeds.md, section 5; RFC 6749,
// section 3.2).

export function repeatedName(parameters: URLSearchParams): string | undefined {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
