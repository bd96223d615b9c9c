// JSON with the place of each of its values, so that a message about a file leads to the line. It
// takes what RFC 8259 has, and refuses a name that stands twice in an object. A message shows no text
// of the file, which may be a secret.

import { FeedError } from '../../engine/index'

const MOST_LEVELS = 64

const SPACE = /[ \t\r\n]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: a string has none
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

export interface PlacedJson {
  readonly value: unknown
  /**
   * Returns the line and the column of a value by the first path that leads to one, such as
   * `columns.sku.type` or `files[2].id`; else of the innermost value on the first path.
   */
  placeOf(...paths: readonly string[]): string
}

/** Returns the error of a part of a file. @param option the path of the part, or its place */
export function mistake(option: string, message: string): FeedError {
  return new FeedError('OPTION_INVALID', message, { option, expected: message, received: '' })
}

/** @throws FeedError OPTION_INVALID whose `option` is the place of the first mistake */
export function placedJson(text: string): PlacedJson {
  let at = 0
  const places = new Map<string, number>()
  const fail = (expected: string): never => {
    throw mistake(lineAndColumn(text, at), `no JSON: here must be ${expected}`)
  }
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const takes = (character: string): boolean => {
    take(SPACE)
    const isThere = text[at] === character
    if (isThere) at++
    take(SPACE)
    return isThere
  }
  const members = (end: string, readOne: () => void) => {
    if (takes(end)) return
    do readOne()
    while (takes(','))
    if (!takes(end)) fail(`a comma or ${end}`)
  }
  const read = (path: string, level: number): unknown => {
    places.set(path, at)
    if (level > MOST_LEVELS) fail(`no deeper level than ${MOST_LEVELS}`)
    if (takes('{')) {
      const values = new Map<string, unknown>()
      members('}', () => {
        const name = JSON.parse(take(STRING) ?? fail('a name in double quotes'))
        if (values.has(name)) fail('a name that the object does not have twice')
        if (!takes(':')) fail('a colon behind the name')
        values.set(name, read(path === '' ? name : `${path}.${name}`, level + 1))
      })
      return Object.fromEntries(values)
    }
    if (takes('[')) {
      const values: unknown[] = []
      members(']', () => values.push(read(`${path}[${values.length}]`, level + 1)))
      return values
    }
    return JSON.parse(take(STRING) ?? take(LITERAL) ?? fail('a value'))
  }
  take(SPACE)
  const value = read('', 0)
  take(SPACE)
  if (at < text.length) fail('the end of the file')
  return {
    value,
    placeOf: (...paths) => {
      let known = paths.find(path => places.has(path)) ?? paths[0]!
      while (!places.has(known)) known = known.replace(/(?:^|\.|\[)[^.[]*$/, '')
      return lineAndColumn(text, places.get(known)!)
    },
  }
}

function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}
