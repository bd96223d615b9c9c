// A row as JSON, as JSON.stringify writes its object. Most cells of a feed are empty or plain text,
// which goes from the row's bytes to the JSON without a string.

import type { Columns } from '../schema/feed-schema'
import { objectWithInvalid } from './bad-cells'
import { AspectsJson } from './cells/aspects-json'
import { isBadCell } from './decode/cell-decoder'
import { decoderOf } from './decode/cell-decoders'
import { isDecimal } from './decode/numbers'
import { bigIntsAsText } from './projection'
import type { Row } from './row'
import type { BoundColumn, BoundHeader } from './tsv/header'

/** What is the same in all rows under a header. */
interface HeaderJson {
  readonly columns: readonly ColumnJson[]
  /** The columns that the file lacks, and the end of the object. */
  readonly end: Buffer
}

interface ColumnJson {
  /** The name, with the marks around it. */
  readonly name: Buffer
  /** The name with an empty cell; undefined where none may be empty. */
  readonly empty: Buffer | undefined
  readonly isText: boolean
  readonly isDecimal: boolean
  readonly isAspects: boolean
}

const HEADERS = new WeakMap<BoundHeader, HeaderJson>()
/** The JSON of values that rows share. */
const SHARED = new WeakMap<object, string>()

/** Writes the JSON of {@link objectWithInvalid}. */
export function writeRowJson(row: Row<Columns>, out: JsonBuffer): void {
  const start = out.length
  try {
    writeCells(row, out)
  } catch (error) {
    if (!isBadCell(error)) throw error
    out.cutTo(start)
    out.json(JSON.stringify(bigIntsAsText(objectWithInvalid(row))))
  }
}

function writeCells({ batch, slot }: Row<Columns>, out: JsonBuffer): void {
  const { cells, projections } = batch
  const { columns, end: objectEnd } = headerJson(batch.header)
  const aspectsJson = new AspectsJson(batch)
  for (let at = 0; at < columns.length; at++) {
    const { name, empty, isText, isDecimal: isNumber, isAspects } = columns[at]!
    const start = cells.cellStart(slot, at)
    const end = cells.cellEnd(slot, at)
    if (start === end && empty !== undefined) {
      out.raw(empty)
      continue
    }
    out.raw(name)
    const isPlain = isText || (isNumber && isDecimal(cells.view, start, end))
    if (isPlain && out.plainText(cells.bytes, start, end)) continue
    const aspects = isAspects ? aspectsJson.textOf(start, end, out.length) : undefined
    if (aspects !== undefined) out.raw(aspects)
    else out.json(valueJson(cells.value(slot, at, projections.readers[at]!)))
  }
  out.raw(objectEnd)
}

function valueJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value))
    return JSON.stringify(value)
  let json = SHARED.get(value)
  if (json === undefined) SHARED.set(value, (json = JSON.stringify(value)))
  return json
}

function headerJson(header: BoundHeader): HeaderJson {
  let known = HEADERS.get(header)
  if (known === undefined) HEADERS.set(header, (known = newHeaderJson(header)))
  return known
}

function newHeaderJson({ columns, absent }: BoundHeader): HeaderJson {
  const lacking = [...absent].map(
    ([name, spec]) => `${JSON.stringify(name)}:${emptyJson({ spec })}`,
  )
  const first = columns.length === 0 ? '{' : ','
  return {
    columns: columns.map(columnJson),
    end: Buffer.from(`${lacking.map((json, n) => (n === 0 ? first : ',') + json).join('')}}`),
  }
}

function columnJson({ name: text, spec }: BoundColumn, at: number): ColumnJson {
  const name = `${at === 0 ? '{' : ','}${JSON.stringify(text)}:`
  const empty = spec.notNull === true ? undefined : Buffer.from(name + emptyJson({ spec }))
  const { type } = spec
  return {
    name: Buffer.from(name),
    empty,
    isText: type === 'text',
    isDecimal: type === 'decimal' && spec.scale === undefined,
    isAspects: type === 'aspects',
  }
}

function emptyJson({ spec }: Pick<BoundColumn, 'spec'>): string {
  return JSON.stringify(decoderOf(spec).empty) ?? 'null'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const FIRST_BYTES = 1 << 16

/** A growing buffer of JSON text. */
export class JsonBuffer {
  #bytes: Buffer
  #length = 0

  constructor(bytes = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes)
  }

  get length(): number {
    return this.#length
  }

  /** Drops what was written behind an earlier length. */
  cutTo(length: number): void {
    this.#length = length
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  json(text: string): void {
    // A UTF-16 unit has at most three bytes.
    this.#reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /**
   * Writes UTF-8 as a string of JSON.
   * @returns false, and writes nothing, where JSON has to escape a byte
   */
  plainText(source: Uint8Array, start: number, end: number): boolean {
    this.#reserve(end - start + 2)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = QUOTE
    for (let from = start; from < end; from++) {
      const byte = source[from]!
      if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return false
      bytes[at++] = byte
    }
    bytes[at++] = QUOTE
    this.#length = at
    return true
  }

  /** Returns a view of what was written, which is valid until the next call. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.view())
    this.#bytes = larger
  }
}
