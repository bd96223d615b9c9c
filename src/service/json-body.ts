// A JSON body as a value of its shape, or RESPONSE_INVALID with the place that is wrong.

import { printableUrl } from '../codec/range/printable-url'
import { excerpt, FeedError } from '../errors'
import type * as Shapes from './shapes'

/** Which request a body answers, for errors. */
export interface Answered {
  readonly operation: string
  readonly url: string
}

export type ReadJson<T> = (text: string, request: Answered) => Promise<T>

/** Reads bodies of one shape. Fields that the shape does not know are kept. The shapes are loaded with the first body. */
export function bodyOfShape<T>(shapeOf: (shapes: typeof Shapes) => Shapes.z.ZodType<T>): ReadJson<T> {
  return async (text, request) => {
    const shape = shapeOf(await import('./shapes'))
    const result = shape.safeParse(jsonOf(text, request))
    if (result.success) return result.data
    const [issue] = result.error.issues
    throw responseInvalid(request, issue?.path.join('.') ?? '', issue?.message ?? 'not of the expected shape')
  }
}

export function responseInvalid({ operation, url }: Answered, path: string, reason: string): FeedError {
  const context = { operation, url: printableUrl(url), path: excerpt(path), reason: excerpt(reason, 200) }
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
