// The adapter of zod: the small form of it, which has neither texts in many languages nor methods
// that a bundle would carry unused.

import * as z from 'zod/mini'

export { z }

/** Checks a JSON value at run time to be a `T`. */
export type JsonShape<T> = z.ZodMiniType<T>

/** What is wrong with a value, and where in it; undefined where it is of the shape. */
export function shapeFault<T>(
  shape: JsonShape<T>,
  value: unknown,
): { readonly path: string; readonly reason: string } | undefined {
  const [issue] = shape.safeParse(value).error?.issues ?? []
  if (issue === undefined) return undefined
  return {
    path: issue.path.join('.'),
    reason:
      issue.code === 'invalid_type'
        ? `not of the type ${issue.expected}`
        : issue.code.replaceAll('_', ' '),
  }
}
