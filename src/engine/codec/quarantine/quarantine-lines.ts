// The records of a quarantine as lines of JSON; quarantine-reader.ts reads them. A line for the file stands before the
// lines of its rows. A row that is longer than `maxRowBytes` has further lines with `rest`.
//
//   {"file":{"feed":"item",…},"columns":["itemId",…]}
//   {"row":7,"line":8,"byteOffset":412,"code":"TSV_ROW_SHORT","message":"…","text":"v1|1|0\n"}
//   {"rest":true,"row":7,"line":8,"byteOffset":1048988,"base64":"…"}

import { isUtf8 } from 'node:buffer'
import type { LeftOutBytes, QuarantinedFile } from './row-quarantine'

/** A row of a quarantine. */
export interface QuarantinedRow {
  readonly of: QuarantinedFile
  readonly row: number
  readonly line: number
  readonly byteOffset: number
  readonly code: string
  readonly message: string
  readonly column?: string
  /** The bytes of the row, as they are or as somebody has mended them. */
  readonly bytes: Uint8Array
}

/** Makes the lines of one quarantine, in the order of the calls. */
export class QuarantineLines {
  #file: QuarantinedFile | undefined

  /** Goes on behind lines whose last file is this one. */
  goOn(file: QuarantinedFile): void {
    this.#file = file
  }

  /** Returns the lines of these bytes, with their line ends. */
  add({ of, position, bytes, reason }: LeftOutBytes): string {
    const { row, line, byteOffset } = position
    const place = { row, line, byteOffset }
    const record = reason === undefined ? { rest: true, ...place } : { ...place, ...reason }
    const text = recordLine({ ...record, ...contentOf(bytes) })
    if (of === this.#file) return text
    this.#file = of
    return fileLine(of) + text
  }
}

export function fileLine(file: QuarantinedFile): string {
  return recordLine(file)
}

function recordLine(record: object): string {
  return `${JSON.stringify(record)}\n`
}

function contentOf(bytes: Uint8Array): { text: string } | { base64: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(bytes) ? { text: buffer.toString() } : { base64: buffer.toString('base64') }
}
