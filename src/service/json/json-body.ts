// Reads a JSON body and checks its shape. RESPONSE_INVALID names the field that is wrong.

import { excerpt, FeedError, printableUrl } from '../../engine/index'
import type { JsonShape } from './json-shape'
import type * as Shapes from './shapes'

/** The request that a body answers, for errors. */
export interface Answered {
  readonly operation: string
  readonly url: string
}

export type ReadJson<T> = (text: string, request: Answered) => Promise<T>

/**
 * Returns a function that reads bodies of one shape and keeps unknown fields. The first body loads
 * the shapes. Calls at the top of a module are marked pure, so that a bundler can remove them
 * together with unused clients.
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
