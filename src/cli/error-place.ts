// The text of an error on the command line, with the position in the file when the message lacks
// it.

import type { FeedError } from '../index'

/** Returns the message, followed by the row, line and byte of the error's context. */
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
