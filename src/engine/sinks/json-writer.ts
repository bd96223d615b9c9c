// The JSON of the sinks: that of JSON.stringify, with bigints as text.

const bigIntAsText = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value

/**
 * Makes a function that returns the JSON of a value, and throws what JSON.stringify throws. A
 * replacer would make every value slower, so it comes into use with the first bigint.
 */
export function jsonWriter(): (value: unknown) => string | undefined {
  let replacer: typeof bigIntAsText | undefined
  return value => {
    if (replacer !== undefined) return JSON.stringify(value, replacer)
    try {
      return JSON.stringify(value)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      const json = JSON.stringify(value, bigIntAsText)
      replacer = bigIntAsText
      return json
    }
  }
}
