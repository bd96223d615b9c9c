// Plain objects of one shape from lists of values. The shape is known only when a header is read,
// so the quick way is a function whose code is one object literal, made then: a literal costs a
// store for each property, where setting properties by a name that is not in the code costs a
// search for each. Where code may not be made from text (`--disallow-code-generation-from-strings`,
// a content security policy) the same objects come the slower way.

export interface Shape {
  /** Names whose values come with each object, in order. */
  readonly names: readonly string[]
  /** Names whose values all objects share, after the others. */
  readonly constants: readonly (readonly [name: string, value: unknown])[]
}

/** Makes an object of `values`, one for each name of its shape. */
export type ObjectMaker = (values: readonly unknown[]) => Record<string, unknown>

/**
 * Properties in the order of the shape's names. A name is data, whatever it says: `__proto__` too
 * is an own property.
 */
export function objectMaker(shape: Shape): ObjectMaker {
  try {
    return literalMaker(shape)
  } catch {
    return assigningMaker(shape)
  }
}

/** @throws EvalError where the process forbids code from text */
export function literalMaker({ names, constants }: Shape): ObjectMaker {
  const given = names.map((name, n) => `${key(name)}: values[${n}]`)
  const shared = constants.map(([name], n) => `${key(name)}: constants[${n}]`)
  const body = `return function makeObject(values) { return { ${[...given, ...shared].join(', ')} } }`
  return new Function('constants', body)(constants.map(([, value]) => value)) as ObjectMaker
}

/**
 * A name as it stands in an object literal. JSON's strings are JavaScript's, so none can end it.
 * Only as a computed name is __proto__ a property.
 */
export function key(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)
}

/** For processes that forbid code from text. All copies of the template have its hidden class. */
export function assigningMaker({ names, constants }: Shape): ObjectMaker {
  const template = Object.fromEntries<unknown>([
    ...names.map((name): [string, unknown] => [name, null]),
    ...constants,
  ])
  return values => {
    const object = { ...template }
    for (let n = 0; n < names.length; n++) object[names[n]!] = values[n]
    return object
  }
}
