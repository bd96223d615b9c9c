// Options of the library out of options of the command line, of which those that a user has not
// given are undefined.

/** Returns the values without those that are undefined: the library has defaults for these. */
export function given<T extends object>(values: T) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}
