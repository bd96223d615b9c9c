// The header lines and the files that the rows of a run came with. A row has the number of its origin,
// so that it costs its own bytes only.

import {
  type BoundHeader,
  bindHeader,
  type Columns,
  type FeedFile,
  type FeedSchema,
  type RowBatch,
} from '../../engine/index'
import { fileOf, type HeaderRecord, type OriginRecord, recordOf } from '../origin-record'
import { meaningOf, type RunOrigin, rankOf, signatureOf } from './run-format'

/** Headers of rows by their header lines, as long as rows have them: a large one takes a megabyte. */
export type Headers = Map<string, WeakRef<BoundHeader>>

export class RunOrigins {
  /** As the index of a run has them. */
  readonly headers: HeaderRecord[] = []
  readonly origins: RunOrigin[] = []
  /** Bytes of the names of each header line, about, which an object or a line of JSON has for each row. */
  readonly nameBytes: number[] = []
  /** The number of the mending of each origin; 0 for a file's own. */
  readonly mended: number[] = []
  /** {@link rankOf} the file of each origin. */
  readonly ranks: (string | undefined)[] = []
  /** {@link meaningOf} each origin. */
  readonly meanings: number[] = []
  /** True where the rows of an origin remove their keys, though they have cells. */
  readonly removes: boolean[] = []
  readonly files: FeedFile[] = []
  /** The time at which the file of each origin was made; 0 where that is not known. */
  readonly generatedMs: number[] = []
  readonly #signatures: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #bound: Headers

  /** @param bound those of the runs that are read with it, so that rows of several have the same one */
  constructor(bound: Headers = new Map()) {
    this.#bound = bound
  }

  /** Returns the number of an origin, which is added where it is new. */
  numberOf({ header: line, ...rest }: OriginRecord): number {
    const signature = signatureOf(line)
    let header = this.#signatures.indexOf(signature)
    if (header < 0) header = this.addHeader(line, signature)
    const origin = { header, ...rest }
    const text = JSON.stringify(origin)
    let number = this.#numbers.get(text)
    if (number === undefined) this.#numbers.set(text, (number = this.add(origin)))
    return number
  }

  addHeader(line: HeaderRecord, signature = signatureOf(line)): number {
    this.nameBytes.push(line.headings.join('":"","').length)
    this.#signatures.push(signature)
    return this.headers.push(line) - 1
  }

  add(origin: RunOrigin): number {
    const { header, file, mended = 0, removes = false } = origin
    const own = fileOf(file)
    this.files.push(own)
    this.generatedMs.push(own.lastModified?.getTime() ?? 0)
    this.mended.push(mended)
    this.removes.push(removes)
    this.ranks.push(rankOf(file))
    this.meanings.push(meaningOf(this.#withHeader(origin), this.#signatures[header]))
    return this.origins.push(origin) - 1
  }

  /** Returns an origin with its header line. */
  record(number: number): OriginRecord {
    return this.#withHeader(this.origins[number]!)
  }

  /** Returns a header line under a schema. */
  header<C extends Columns>(schema: FeedSchema<C>, number: number): BoundHeader<C> {
    const signature = this.#signatures[number]!
    let bound = this.#bound.get(signature)?.deref()
    if (bound?.schema !== schema) {
      bound = headerUnder(schema, this.headers[number]!)
      this.#bound.set(signature, new WeakRef(bound))
    }
    return bound as BoundHeader<C>
  }

  #withHeader(origin: RunOrigin): OriginRecord {
    return { ...origin, header: this.headers[origin.header]! }
  }
}

/**
 * Returns a function that binds batches to one schema, as a reader of runs does. It drops the cells that
 * a stage has decoded.
 */
export function asStored<C extends Columns>(schema: FeedSchema<C>) {
  const headers = new WeakMap<BoundHeader, BoundHeader<C>>()
  return (batch: RowBatch<Columns>): RowBatch<C> => {
    let header = headers.get(batch.header)
    if (header === undefined)
      headers.set(batch.header, (header = headerUnder(schema, recordOf(batch).header)))
    return batch.withHeader(header)
  }
}

/** Binds a header line to a schema. */
function headerUnder<C extends Columns>(
  schema: FeedSchema<C>,
  { headings, cells }: HeaderRecord,
): BoundHeader<C> {
  const header = bindHeader(schema, headings, { row: 0, line: 1, byteOffset: 0 }, true)
  return cells ? { ...header, cells } : header
}
