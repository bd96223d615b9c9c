// The records of a quarantine: lines of JSON, and their reader. A line for the file stands before
// the lines of its rows. A row that is longer than `maxRowBytes` has further lines with `rest`. A
// person may have mended the `text` of a line, or removed lines.
//
//   {"file":{"feed":"item",…},"columns":["itemId",…]}
//   {"row":7,"line":8,"byteOffset":412,"code":"TSV_ROW_SHORT","message":"…","text":"v1|1|0\n"}
//   {"rest":true,"row":7,"line":8,"byteOffset":1048988,"base64":"…"}

import { isUtf8 } from 'node:buffer'
import { FeedError } from '../../errors'
import { readInstant } from '../instant'
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

/** Returns the line of these bytes, with its line end. */
export function rowLine({ position, bytes, reason }: LeftOutBytes): string {
  const { row, line, byteOffset } = position
  const place = { row, line, byteOffset }
  const record = reason === undefined ? { rest: true, ...place } : { ...place, ...reason }
  return recordLine({ ...record, ...contentOf(bytes) })
}

/** Returns a record as a line. That of a file stands before those of its rows. */
export function recordLine(record: object): string {
  return `${JSON.stringify(record)}\n`
}

function contentOf(bytes: Uint8Array): { text: string } | { base64: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(bytes) ? { text: buffer.toString() } : { base64: buffer.toString('base64') }
}

/** The most bytes of a line, and of a row in all of its lines. */
const MOST_BYTES = 2 ** 28
const LINE_END = 0x0a

/** Reads a quarantine in pieces that may be cut anywhere. */
export class QuarantineReader {
  readonly #path: string
  #rest: Uint8Array[] = []
  #restBytes = 0
  #line = 0
  #file: QuarantinedFile | undefined
  #row: (Omit<QuarantinedRow, 'bytes'> & { parts: Uint8Array[]; partBytes: number }) | undefined

  /** @param path the name of the quarantine in errors */
  constructor(path: string) {
    this.#path = path
  }

  /** True where no line was the record of a file. Then nothing says that it is a quarantine. */
  get isEmpty(): boolean {
    return this.#file === undefined
  }

  /** Yields the rows that these bytes complete. @throws FeedError QUARANTINE_INVALID */
  *push(bytes: Uint8Array): Generator<QuarantinedRow, void, void> {
    let from = 0
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      const row = this.#add(this.#takeLine(bytes.subarray(from, end)))
      from = end + 1
      if (row !== undefined) yield row
    }
    this.#restBytes += bytes.length - from
    if (this.#restBytes > MOST_BYTES) throw this.#invalid(`it has more than ${MOST_BYTES} bytes`)
    if (from < bytes.length) this.#rest.push(Uint8Array.from(bytes.subarray(from)))
  }

  /** Yields the rows of the end. @throws FeedError QUARANTINE_INVALID */
  *end(): Generator<QuarantinedRow, void, void> {
    const row = this.#add(this.#takeLine(new Uint8Array()))
    if (row !== undefined) yield row
    const last = this.#complete()
    if (last !== undefined) yield last
  }

  #takeLine(end: Uint8Array): string {
    const line = Buffer.concat([...this.#rest, end]).toString()
    this.#rest = []
    this.#restBytes = 0
    return line
  }

  /** Takes a line, and returns the row before it where that one is complete. */
  #add(line: string): QuarantinedRow | undefined {
    this.#line++
    if (line.trim() === '') return undefined
    const record = this.#parsed(line)
    if (record.rest === true) {
      if (this.#row === undefined) throw this.#invalid('the beginning of the row is not before it')
      this.#addPart(this.#row, this.#bytesOf(record))
      return undefined
    }
    const complete = this.#complete()
    if (isFile(record)) this.#file = record
    else this.#begin(record)
    return complete
  }

  #addPart(row: { parts: Uint8Array[]; partBytes: number }, bytes: Uint8Array): void {
    row.parts.push(bytes)
    row.partBytes += bytes.length
    if (row.partBytes > MOST_BYTES) throw this.#invalid(`the row has more than ${MOST_BYTES} bytes`)
  }

  #complete(): QuarantinedRow | undefined {
    if (this.#row === undefined) return undefined
    const { parts, partBytes: _, ...row } = this.#row
    this.#row = undefined
    return { ...row, bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts) }
  }

  #begin(record: Readonly<Record<string, unknown>>): void {
    const { row, line, byteOffset, code, message, column } = record
    if (this.#file === undefined) throw this.#invalid('the line of its file is not before it')
    if (![row, line, byteOffset].every(Number.isSafeInteger))
      throw this.#invalid('row, line and byteOffset must be whole numbers')
    const bytes = this.#bytesOf(record)
    if (typeof code !== 'string' || typeof message !== 'string')
      throw this.#invalid('code and message must be texts')
    this.#row = {
      of: this.#file,
      row: row as number,
      line: line as number,
      byteOffset: byteOffset as number,
      code,
      message,
      ...(typeof column === 'string' && { column }),
      parts: [bytes],
      partBytes: bytes.length,
    }
  }

  #bytesOf({ text, base64 }: Readonly<Record<string, unknown>>): Uint8Array {
    if (typeof text === 'string') return Buffer.from(text)
    if (typeof base64 === 'string') return Buffer.from(base64, 'base64')
    throw this.#invalid('it has neither text nor base64')
  }

  #parsed(line: string): Readonly<Record<string, unknown>> {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw this.#invalid('it is no JSON')
    }
    if (typeof value !== 'object' || value === null) throw this.#invalid('it is no record')
    const record = value as Readonly<Record<string, unknown>>
    const { file } = record
    if (typeof file !== 'object' || file === null) return record
    return { ...record, file: withDates(file as Readonly<Record<string, unknown>>) }
  }

  #invalid(reason: string): FeedError<'QUARANTINE_INVALID'> {
    const message = `${this.#path}, line ${this.#line}: ${reason}: restore the line, or remove it to drop the row`
    const context = { path: this.#path, line: this.#line, reason }
    return new FeedError('QUARANTINE_INVALID', message, context)
  }
}

function isFile(record: object): record is QuarantinedFile {
  const { file, columns } = record as { file?: unknown; columns?: unknown }
  return (
    typeof file === 'object' &&
    Array.isArray(columns) &&
    columns.every(name => typeof name === 'string')
  )
}

/** JSON has the dates of a file as text. */
function withDates(file: Readonly<Record<string, unknown>>): object {
  const dates = ['hour', 'lastModified'].flatMap(name => {
    const date = readInstant(String(file[name]))
    return date === undefined ? [] : [[name, date]]
  })
  return { ...file, ...Object.fromEntries(dates) }
}
