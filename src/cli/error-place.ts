// The text of an error on the command line, with the position in the file when the message lacks
// it.

import type { FeedError, RowPosition } from '../index'

/** Returns the message between the file and the row, line and byte of the error's context. */
export function messageWithPlace({
  message,
  context,
}: Pick<FeedError, 'message' | 'context'>): string {
  const { file, row, line, byteOffset } = context as Partial<RowPosition>
  const places = Object.entries({ row, line, byte: byteOffset }).filter(
    ([, value]) => value !== undefined,
  )
  const missing = places
    .map(([name, value]) => `${name} ${value}`)
    .filter(place => !message.includes(place))
  const text = missing.length === 0 ? message : `${message} (${missing.join(', ')})`
  return file === undefined || message.includes(file) ? text : `${file}: ${text}`
}
