// The adapter of apache-arrow, an optional package, and the part of it that is used here. The
// declarations do not import the package, so they are whole where it is not installed.

import { FeedError } from '../../engine/index'

export interface ArrowRecordBatch {
  readonly schema: ArrowSchema
  readonly numRows: number
}

export interface ArrowSchema {
  readonly fields: readonly unknown[]
}

/** The queue that a writer puts its bytes into. */
export interface ByteQueue {
  write(bytes: Uint8Array): void
}

export interface RecordBatchWriter {
  reset(sink: ByteQueue, schema: ArrowSchema | null): unknown
  write(batch: ArrowRecordBatch): void
  finish(): unknown
}

/** What is used of the package. */
export interface ArrowApi {
  readonly Utf8: new () => unknown
  readonly Bool: new () => unknown
  readonly Int32: new () => unknown
  readonly Int64: new () => unknown
  readonly Float64: new () => unknown
  readonly DateDay: new () => unknown
  readonly TimestampMillisecond: new (timezone: string) => unknown
  readonly Decimal: new (scale: number, precision: number, bits: number) => unknown
  readonly Dictionary: new (values: unknown, indexes: unknown) => unknown
  readonly List: new (item: unknown) => unknown
  readonly Struct: new (fields: readonly unknown[]) => unknown
  readonly Field: new (name: string, type: unknown, nullable: boolean) => unknown
  readonly Schema: new (fields: readonly unknown[]) => ArrowSchema
  readonly RecordBatch: new (schema: ArrowSchema, data: unknown) => ArrowRecordBatch
  readonly AsyncByteQueue: new () => ByteQueue
  readonly RecordBatchFileWriter: new () => RecordBatchWriter
  readonly RecordBatchStreamWriter: new () => RecordBatchWriter
  vectorFromArray(values: readonly string[], type: unknown): unknown
  makeData(parts: object): unknown
}

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
export async function loadArrow(): Promise<ArrowApi> {
  try {
    // As any text, so that the compiler does not look for the package either.
    return (await import('apache-arrow' as string)) as ArrowApi
  } catch (cause) {
    const context = { package: 'apache-arrow', neededFor: 'feedmill/arrow' }
    const message = `${context.neededFor} needs the package ${context.package}: npm install ${context.package}@^21`
    throw new FeedError('DEPENDENCY_MISSING', message, context, { cause })
  }
}
