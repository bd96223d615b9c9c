// What the objects of a caller may have in them.

export function isText(value: unknown): boolean {
  return typeof value === 'string'
}

export function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

export function areObjects<N extends string>(
  value: unknown,
  test: (one: Record<N, unknown>) => boolean,
): boolean {
  return (
    Array.isArray(value) &&
    value.every(one => typeof one === 'object' && one !== null && test(one as never))
  )
}
