// The adapter of zod. It uses zod/mini, which keeps bundles small: it has no messages in many
// languages, and functions in place of methods.

import * as z from 'zod/mini'

export { z }

/** A check at run time that a JSON value is a `T`. */
export type JsonShape<T> = z.ZodMiniType<T>

/** Returns the first fault of a value and its path; undefined where the value has the shape. */
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
