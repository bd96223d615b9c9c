// The error of an item that a stage does not take. All stages make it here, so that a wrong chain
// has one wording wherever it is found.

import { excerpt, FeedError } from '../errors'
import { show } from '../options'

/**
 * Returns the error of an item that a stage does not take.
 * @param expected what the stage takes, such as `blocks of bytes (Uint8Array)`
 * @param item the item that it was given, which is described and not called
 * @param advice what the caller can do, if it is known
 */
export function inputInvalid(
  stage: string,
  expected: string,
  item: unknown,
  advice?: string,
): FeedError<'STAGE_INPUT_INVALID'> {
  const received = kindOf(item)
  const message = `${stage} takes ${expected}, and was given ${received}`
  return new FeedError(
    'STAGE_INPUT_INVALID',
    advice === undefined ? message : `${message}: ${advice}`,
    { stage, expected, received },
  )
}

/** Says what an item is: its kind, and where that is short the start of its content. */
function kindOf(item: unknown): string {
  if (typeof item === 'string') return `a string (${excerpt(show(item), 40)})`
  if (Array.isArray(item)) return `an array of ${item.length}`
  if (typeof item !== 'object' || item === null) return show(item)
  const name = nameOfClass(item)
  return name === 'Object' ? objectWith(Object.keys(item)) : withArticle(name)
}

function nameOfClass(item: object): string {
  const { name } = (item.constructor ?? {}) as { name?: unknown }
  return typeof name === 'string' && name !== '' ? excerpt(name, 40) : 'Object'
}

function objectWith(names: readonly string[]): string {
  if (names.length === 0) return 'an object'
  return excerpt(`an object with ${names.slice(0, 5).join(', ')}`)
}

function withArticle(name: string): string {
  return `${/^[AEIOU](?!int)/.test(name) ? 'an' : 'a'} ${name}`
}
