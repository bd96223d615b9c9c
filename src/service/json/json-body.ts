// A JSON body as a value of its shape, or RESPONSE_INVALID with the place that is wrong.

import { printableUrl } from '../../codec/range/printable-url'
import { excerpt, FeedError } from '../../errors'
import type { JsonShape } from './json-shape'
import type * as Shapes from './shapes'

/** Which request a body answers, for errors. */
export interface Answered {
  readonly operation: string
  readonly url: string
}

export type ReadJson<T> = (text: string, request: Answered) => Promise<T>

/**
 * Reads bodies of one shape. Fields that the shape does not know are kept. The shapes are loaded
 * with the first body. A call at the top of a module is marked pure, so that a bundle without that
 * module's clients has no shapes either.
 */
export function bodyOfShape<T>(shapeOf: (shapes: typeof Shapes) => JsonShape<T>): ReadJson<T> {
  return async (text, request) => {
    const [{ shapeFault }, shapes] = await Promise.all([import('./json-shape'), import('./shapes')])
    const value = jsonOf(text, request)
    const fault = shapeFault(shapeOf(shapes), value)
    if (fault === undefined) return value as T
    throw responseInvalid(request, fault.path, fault.reason)
  }
}

export function responseInvalid(
  { operation, url }: Answered,
  path: string,
  reason: string,
): FeedError {
  const context = {
    operation,
    url: printableUrl(url),
    path: excerpt(path),
    reason: excerpt(reason, 200),
  }
  return new FeedError(
    'RESPONSE_INVALID',
    `${operation}: ${path === '' ? 'the answer' : context.path} is invalid: ${context.reason}`,
    context,
  )
}

function jsonOf(text: string, request: Answered): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw responseInvalid(request, '', `not JSON: ${excerpt(text)}`)
  }
}
