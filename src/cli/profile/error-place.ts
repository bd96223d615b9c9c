// Errors as the command line tells them: with their place in the file, where the message alone does
// not say it.

import type { FeedError } from '../../index'

/** The message, and the row, line and byte that the error's context has beside it. */
export function messageWithPlace({
  message,
  context,
}: Pick<FeedError, 'message' | 'context'>): string {
  const { row, line, byteOffset } = context as { row?: number; line?: number; byteOffset?: number }
  const places = Object.entries({ row, line, byte: byteOffset }).filter(
    ([, value]) => value !== undefined,
  )
  const missing = places
    .map(([name, value]) => `${name} ${value}`)
    .filter(place => !message.includes(place))
  return missing.length === 0 ? message : `${message} (${missing.join(', ')})`
}
