// Files of Parquet as three readers of other code see them: DuckDB, hyparquet, and parquet-wasm with
// apache-arrow. Values are made comparable: whole numbers and decimals as text, times as milliseconds.

import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { readParquet } from 'parquet-wasm'
import type { ArrowField, ArrowType } from '../../../src/engine/codec/columns/arrow-type'

type Row = Readonly<Record<string, unknown>>
type Scalar = (type: ArrowType, value: never) => unknown
const DAY_MS = 86_400_000

/** Returns a value with its scalars changed; what is missing is null. */
function changed(type: ArrowType, value: unknown, scalar: Scalar): unknown {
  if (value === null || value === undefined) return null
  if (type.kind === 'list')
    return Array.from(value as Iterable<unknown>, item => changed(type.item, item, scalar))
  if (type.kind === 'struct') return changedRow(type.fields, value as Row, scalar)
  return scalar(type, value as never)
}

function changedRow(fields: readonly ArrowField[], row: Row, scalar: Scalar) {
  return Object.fromEntries(
    fields.map(({ name, type }) => [name, changed(type, row[name], scalar)]),
  )
}

const trimmed = (decimal: string) =>
  decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal

const double = (value: unknown) => (Object.is(Number(value), -0) ? 0 : Number(value))

/** Values as the columns have them. */
export const given = (fields: readonly ArrowField[], rows: readonly Row[]) =>
  rows.map(row =>
    changedRow(fields, row, (type, value: unknown) => {
      if (type.kind === 'timestamp') return (value as Date).getTime()
      if (type.kind === 'int64' || type.kind === 'decimal') return trimmed(String(value))
      return type.kind === 'float64' ? double(value) : value
    }),
  )

export async function query<R = Row>(sql: string): Promise<R[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'").catch(() => {})
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as R[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

export async function byDuckdb(fields: readonly ArrowField[], path: string) {
  const rows = await query(`FROM read_parquet('${path}')`)
  return rows.map(row =>
    changedRow(fields, row, (type, value: unknown) => {
      const text = String(value)
      if (type.kind === 'timestamp')
        return Date.parse(
          `${text
            .slice(0, 23)
            .replace(' ', 'T')
            .replace(/[+Z].*/, '')}Z`,
        )
      if (type.kind === 'decimal') return trimmed(text)
      return type.kind === 'float64' ? double(value) : value
    }),
  )
}

/** The reader has Snappy alone. */
const compressors = { GZIP: (page: Uint8Array) => gunzipSync(page) }

export async function byHyparquet(fields: readonly ArrowField[], bytes: Uint8Array) {
  const file = arrayBufferOf(bytes)
  const rows = (await parquetReadObjects({ file, compressors })) as Row[]
  return rows.map(row =>
    changedRow(fields, row, (type, value: unknown) => {
      if (type.kind === 'timestamp') return (value as Date).getTime()
      if (type.kind === 'date') return (value as Date).toISOString().slice(0, 10)
      // The reader makes doubles of decimals.
      if (type.kind === 'decimal') return trimmed((value as number).toFixed(type.scale))
      if (type.kind === 'int64') return String(value)
      return type.kind === 'float64' ? double(value) : value
    }),
  )
}

export function byParquetWasm(fields: readonly ArrowField[], bytes: Uint8Array) {
  const table = tableFromIPC(readParquet(bytes).intoIPCStream())
  return Array.from(table, row =>
    changedRow(fields, row as Row, (type, value: unknown) => {
      if (type.kind === 'date')
        return new Date(Number(value) - (Number(value) % DAY_MS)).toISOString().slice(0, 10)
      if (type.kind === 'decimal') return decimalOf(value as Uint32Array, type.scale)
      if (type.kind === 'int64') return String(value)
      return type.kind === 'float64' || type.kind === 'timestamp' ? double(value) : value
    }),
  )
}

function decimalOf(words: Uint32Array, scale: number): string {
  const units = BigInt.asIntN(
    128,
    words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
  )
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
  return `${units < 0n ? '-' : ''}${trimmed(text)}`
}

function arrayBufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

export interface Page {
  readonly isDictionary: boolean
  readonly encoding: string | undefined
  /** Slots of a data page, values of a dictionary. */
  readonly values: number
  readonly crc: number
  readonly rawBytes: number
  /** As it stands in the file, from `at` on. */
  readonly body: Uint8Array
  readonly at: number
}

/** A chunk with its pages. */
export interface Chunk {
  readonly meta: NonNullable<FileMetaData['row_groups'][number]['columns'][number]['meta_data']>
  readonly pages: readonly Page[]
}

export const metadataOf = (bytes: Uint8Array) => parquetMetadata(arrayBufferOf(bytes))

/** The chunks of a file, row group by row group. */
export function chunksOf(bytes: Uint8Array): Chunk[] {
  return metadataOf(bytes).row_groups.flatMap(({ columns }) =>
    columns.map(({ meta_data: meta }) => ({ meta: meta!, pages: pagesOf(bytes, meta!) })),
  )
}

function pagesOf(bytes: Uint8Array, meta: Chunk['meta']): Page[] {
  const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset)
  const reader = { view: new DataView(arrayBufferOf(bytes)), offset: start }
  const pages: Page[] = []
  while (reader.offset < start + Number(meta.total_compressed_size)) {
    const header = parquetHeader(reader)
    const at = reader.offset
    reader.offset += header.compressed_page_size
    const about = header.data_page_header ?? header.dictionary_page_header!
    pages.push({
      isDictionary: header.type === 'DICTIONARY_PAGE',
      encoding: about.encoding,
      values: about.num_values,
      crc: header.crc! >>> 0,
      rawBytes: header.uncompressed_page_size,
      body: bytes.subarray(at, reader.offset),
      at,
    })
  }
  return pages
}
