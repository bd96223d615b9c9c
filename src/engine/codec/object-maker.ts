// Makes plain objects of one shape from lists of values. The shape is known only when a header is
// read. Setting a property by a name that is not in the code costs a search, and a property of an
// object literal costs one store, so the quick way is a function that is compiled for the shape and
// consists of one object literal. Where a process forbids code from text
// (`--disallow-code-generation-from-strings`, a content security policy), a slower function makes
// the same objects.

export interface Shape {
  /** Names of the properties whose values differ from object to object, in order. */
  readonly names: readonly string[]
  /** The properties behind them, whose values all objects share. */
  readonly constants: readonly (readonly [name: string, value: unknown])[]
}

/** Makes an object of `values`, one for each name of its shape. */
export type ObjectMaker = (values: readonly unknown[]) => Record<string, unknown>

/**
 * Returns a maker of objects with properties in the order of the shape's names. Every name is an
 * own property, `__proto__` too.
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
 * Returns a name as the key of an object literal. A JSON string is a JavaScript string, so no name
 * can end the literal. `__proto__` is a property only as a computed key.
 */
export function key(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)
}

/** The maker without code from text. All copies of its template share one hidden class. */
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
