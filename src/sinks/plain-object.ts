// What a sink writes of an element: a row as its typed object, anything else as it is.

export function plainOf<E>(element: E): unknown {
  const { toObject } = element as { toObject?: unknown }
  return typeof toObject === 'function' ? toObject.call(element) : element
}
