// A sink that writes newline-delimited JSON, one value a line.

import { BatchJson } from '../codec/columns/rows-json'
import { exactJson, exactObject, isRow, JsonCell } from '../codec/json-cell'
import { bigIntAsText, projectionsOf } from '../codec/projection'
import { RowBatch } from '../codec/row-batch'
import { TextBuffer } from '../codec/text-buffer'
import { excerpt, FeedError, messageOf } from '../errors'
import { is, type OptionTable, readOptions } from '../options'
import { type ElementOf, exactElementsOf, isColumnBatch } from '../pipeline/batch'
import type { Sink } from '../pipeline/sink'
import { TextOutput } from './byte-output'
import type { SinkTarget } from './destination'
import { withoutJson } from './plain-objects'
import { type Unwritable, unwritableKind, valueInvalid } from './sink-errors'
import { sinkOfRuns } from './sink-of-runs'

export interface NdjsonSinkOptions {
  /** `gzip` compresses the file. Default: no compression. */
  readonly compress?: 'gzip'
}

const NAME = 'ndjson'
/** Lines of batches that are gathered before a write. */
const GATHERED_BYTES = 1 << 20
const OPTIONS = { compress: [is.choice('gzip')] } satisfies OptionTable<NdjsonSinkOptions>

/**
 * The items that the sink takes. Items whose elements have no JSON form, such as the bytes of a
 * file, are a compile error.
 */
export type NdjsonItem<T> =
  // biome-ignore lint/suspicious/noConfusingVoidType: functions without `return` give it
  ElementOf<T> extends Unwritable | bigint | symbol | void
    ? 'rows, objects or other JSON values'
    : T

/**
 * Makes a sink that writes one JSON value for each row, each member of an array and each other
 * item, in order. Rows are written with their typed values: decimals and bigints as exact text,
 * timestamps as ISO 8601, empty cells as null. A line is an object, an array, text, a finite
 * number, true, false or null. Inside objects the rules of `JSON.stringify` hold, except that
 * bigints are text: undefined properties are left out, -0 is 0, and NaN and invalid dates are null.
 * A value without JSON is refused wherever it stands. Encode such a value in `map` before.
 *
 * The file appears when the pipeline has succeeded; before, and after a failure, `target` stays as
 * it was. The sink writes to `<name>.<16 hexadecimal digits>.partial` in the same folder. A
 * symbolic link stays, and the file that it points to is replaced. A device, a FIFO or a stream
 * gets the text as it is made.
 * @param target the path of the file, in an existing folder; or a Node stream, which the sink does
 * not end
 * @throws FeedError OPTION_INVALID at the call; SINK_FAILED; SINK_VALUE_INVALID for a value without
 * JSON: bytes, a promise, a Map or Set, a function or symbol, a Date, undefined or a BigInt in place
 * of a row, an object that contains itself
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { ndjsonSink, pipeline } from 'feedmill'
 *
 * await pipeline([{ itemId: 'v1|1|0' }, { itemId: 'v1|2|0' }]).run(ndjsonSink('ids.ndjson'))
 * console.log(readFileSync('ids.ndjson', 'utf8').split('\n')[0])
 * // => {"itemId":"v1|1|0"}
 * ```
 */
export function ndjsonSink<T>(
  target: SinkTarget,
  options: NdjsonSinkOptions = {},
): Sink<NdjsonItem<T>> {
  const { compress } = readOptions(options, OPTIONS)
  const newOutput = () => new TextOutput(target, NAME, compress)
  return sinkOfRuns(NAME, newOutput(), () => {
    const output = newOutput()
    const jsonOf = jsonWriter()
    const json = new BatchJson({
      hasJson: value => withoutJson(value) === undefined,
      lineOf: (element, n) => lineOf(element, row + n + 1, jsonOf, false),
    })
    const lines = new TextBuffer()
    const writeLines = async () => {
      if (lines.length > 0) await output.addBytes(lines.view())
      lines.cutTo(0)
    }
    let row = 0
    return {
      open: () => output.open(),
      write: async item => {
        if (item instanceof RowBatch) {
          json.write(item, lines)
          row += item.length
          if (lines.length >= GATHERED_BYTES) await writeLines()
          return
        }
        await writeLines()
        const isExact = isColumnBatch(item) && projectionsOf(item.header).hasJson
        for (const element of exactElementsOf(item)) {
          const due = output.addText(`${lineOf(element, ++row, jsonOf, isExact)}\n`)
          if (due !== undefined) await due
        }
      },
      prepare: async () => {
        await writeLines()
        await output.prepare()
      },
      commit: () => output.commit(),
      abort: () => output.abort(),
    }
  })
}

type Json = ReturnType<typeof jsonWriter>

/** @param isExact true for an object whose JSON cells are texts */
function lineOf(element: unknown, row: number, jsonOf: Json, isExact: boolean): string {
  const refused = refusedKind(element)
  const line = refused === undefined ? jsonLine(element, row, jsonOf, isExact) : undefined
  if (line !== undefined) return line
  const kind = refused ?? 'an object whose toJSON gives nothing'
  throw valueInvalid(NAME, row, `${kind} is not a row or another JSON value`)
}

/** Returns what JSON has no form for, or a form that loses its meaning. */
function refusedKind(element: unknown): string | undefined {
  if (typeof element === 'object' && element !== null) return unwritableKind(element)
  if (typeof element === 'bigint') return 'a BigInt'
  if (typeof element === 'number') return Number.isFinite(element) ? undefined : String(element)
  return ['string', 'boolean'].includes(typeof element) || element === null
    ? undefined
    : typeof element
}

/** Returns undefined for an object whose `toJSON` gives nothing. */
function jsonLine(element: unknown, row: number, jsonOf: Json, isExact: boolean) {
  if (typeof element !== 'object' || element === null) return jsonOf(element)
  try {
    const isExactRow = isRow(element) && element.batch.projections.hasJson
    const { toJSON } = element as { readonly toJSON?: (key: string) => unknown }
    const json =
      typeof toJSON !== 'function'
        ? element
        : isExactRow
          ? exactObject(element)
          : toJSON.call(element, '')
    // A row's own cells may be of any kind.
    const found = typeof json === 'object' ? withoutJson(json) : undefined
    if (found === undefined)
      return isExact || isExactRow ? exactJson(json as object, jsonOf) : jsonOf(json)
    throw valueInvalid(NAME, row, `${found} has no JSON: make another value of it in map`)
  } catch (cause) {
    // The error of a cell has its own position.
    if (FeedError.is(cause)) throw cause
    throw valueInvalid(NAME, row, excerpt(messageOf(cause)), cause)
  }
}

/**
 * Makes a function that returns the JSON of a value, or the text of a JSON cell, and throws what
 * JSON.stringify throws. Bigints are text. A replacer would make every value slower, so it comes
 * into use with the first bigint.
 */
export function jsonWriter(): (value: unknown) => string | undefined {
  let replacer: typeof bigIntAsText | undefined
  return value => {
    if (value instanceof JsonCell) return value.text
    try {
      return JSON.stringify(value, replacer)
    } catch (error) {
      // An object with a bigint, or one that contains itself, which is a TypeError again.
      if (replacer !== undefined || !(error instanceof TypeError)) throw plainError(error)
    }
    try {
      const json = JSON.stringify(value, bigIntAsText)
      replacer = bigIntAsText
      return json
    } catch (error) {
      throw plainError(error)
    }
  }
}

/** The engine says only that its stack is full. */
function plainError(error: unknown): unknown {
  return error instanceof RangeError
    ? new RangeError('it is nested too deeply to be made into JSON', { cause: error })
    : error
}
