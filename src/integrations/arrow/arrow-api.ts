// The adapter of apache-arrow, an optional package, and the part of it that is used here. The
// declarations do not import the package, so they are whole where it is not installed.

import { missingPackage } from '../../engine/index'

export interface ArrowRecordBatch {
  readonly schema: { readonly fields: readonly unknown[] }
  readonly numRows: number
}

/** The arrays of a column or of a whole batch, and their type. */
export interface ArrowData {
  readonly type: unknown
  readonly children: readonly ArrowData[]
  readonly dictionary?: unknown
}

/** What is used of the package. */
export interface ArrowApi {
  readonly RecordBatch: new (schema: unknown, data: ArrowData) => ArrowRecordBatch
  makeData(parts: object): ArrowData
  tableFromIPC(bytes: Uint8Array): {
    readonly batches: readonly (ArrowRecordBatch & { readonly data: ArrowData })[]
  }
}

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
export async function loadArrow(): Promise<ArrowApi> {
  try {
    // As any text, so that the compiler does not look for the package either.
    return (await import('apache-arrow' as string)) as ArrowApi
  } catch (cause) {
    throw missingPackage('toArrow of feedmill/arrow', 'apache-arrow', 'apache-arrow@^21', cause)
  }
}
