// The report of an inspection: plain data, the same in memory and as JSON. If you change its shape,
// also change `version`, checked-report.ts and the guide (src/guide/inspect.md).

import type { CellType, Dialect, ErrorCode, FeedSchema } from '../engine/index'
import type { ValueRange } from './columns/value-range'

/** The version of the shape. A field that is only added does not change it. */
export const REPORT_VERSION = 1 satisfies InspectReport['version']

/** Where a row stands: counted as in the errors of the parser. */
export interface ReportPosition {
  readonly row: number
  readonly line: number
  readonly byteOffset: number
}

/** What `inspect` found in a file. All of it is JSON. */
export interface InspectReport {
  readonly version: 1
  /** The path, the URL without secrets, or the name that the caller gave. */
  readonly source: string
  /** The name of the schema; null where the file was read without one. */
  readonly schema: string | null
  /** True where the schema was chosen by the column names of the file. */
  readonly schemaIsGuess: boolean
  /** How the file was read; what is left out is as in the documented files. */
  readonly dialect: Dialect
  /** True where the delimiter and the quoting were chosen by the header line of the file. */
  readonly dialectIsGuess: boolean
  /** Bytes of the source as they came. */
  readonly sourceBytes: number
  /** Bytes of the text: of the source, or of what it unpacks to. */
  readonly textBytes: number
  /** How the file is compressed, by its first bytes. Earlier releases did not report it. */
  readonly format?: 'gzip' | 'zstd' | 'zip' | 'plain'
  /** Null where the source is not gzip. */
  readonly gzip: GzipReport | null
  /** Null where the file has no readable header. */
  readonly header: HeaderReport | null
  /** Rows that were read; bad rows are not among them. */
  readonly rows: number
  readonly badRows: BadRowsReport
  /** In the order of the file. */
  readonly columns: readonly ColumnProfile[]
  /** The first rows, readable. */
  readonly sample: readonly SampleRow[]
  /** Why the file could not be read to its end; null where it was. */
  readonly failure: FailureReport | null
  /**
   * With `infer` only: the schema that all rows prove, bad ones apart; null where the file cannot be
   * read to its end.
   */
  readonly inferred?: InferredSchema | null
}

/**
 * A schema that a file has proved: every filled cell is of its column's kind, and its value is
 * written again as the same text.
 */
export interface InferredSchema {
  /** As `defineSchema` takes it. Its name is that of the file, and its columns are the headings. */
  readonly schema: FeedSchema
  /** How the file was read; what is left out is as in the documented files. */
  readonly dialect: Dialect
  /** What decided the kind of each column, in the order of the file. */
  readonly columns: readonly InferredColumn[]
}

export interface InferredColumn {
  /** The name as the file spells it. */
  readonly heading: string
  readonly type: CellType
  /**
   * False where the schema does not have the column, which is read as text: it has no heading, or
   * an earlier column has one of the same spelling.
   */
  readonly inSchema: boolean
  /** The kinds that take less than this one does, each with the first cell that is none of it. */
  readonly contradictions: readonly Contradiction[]
  /** The words for null, such as `NULL`, with the first cell of each. They make a column text. */
  readonly nullWords: readonly (ReportPosition & { readonly word: string })[]
  /** The kind of the column if it had no words for null; null where that is text too. */
  readonly typeWithoutNullWords: CellType | null
}

export interface Contradiction extends InvalidCell {
  /** The kind that the cell is none of. */
  readonly type: CellType
}

export interface FailureReport {
  readonly code: ErrorCode
  readonly message: string
  readonly context: Readonly<Record<string, unknown>>
}

export interface GzipReport {
  readonly members: number
  /** Members whose CRC32 and size agree with their content. */
  readonly verifiedMembers: number
  readonly compressedBytes: number
  readonly outputBytes: number
  /** Bytes of output for each compressed byte; 0 before the first byte. */
  readonly ratio: number
  /** Zeros between and after members. */
  readonly paddingBytes: number
  /** The file name in the first header. */
  readonly name: string | null
  /** The time in the first header, in ISO 8601. */
  readonly modifiedAt: string | null
}

/** The column names of the file, against those of the schema. */
export interface HeaderReport {
  /** The names as the file spells them. */
  readonly columns: readonly string[]
  /** Columns of the schema that the file lacks, and whether readers refuse the file therefore. */
  readonly missing: readonly { readonly name: string; readonly required: boolean }[]
  /** Names that the schema does not have. */
  readonly unknown: readonly string[]
  /** Columns that the file has under an alias. */
  readonly renamed: readonly { readonly name: string; readonly heading: string }[]
  /** Columns of the file that the schema calls deprecated, with its words. */
  readonly deprecated: readonly { readonly name: string; readonly statement: string }[]
  /** Names that stand more than once, and whether readers refuse the file therefore. */
  readonly repeated: readonly {
    readonly name: string
    readonly count: number
    readonly required: boolean
  }[]
  /** True where known columns stand in the order of the schema. */
  readonly isInOrder: boolean
}

export interface BadRowsReport {
  readonly count: number
  readonly byCode: readonly { readonly code: ErrorCode; readonly count: number }[]
  /** The first of them. */
  readonly first: readonly (ReportPosition & {
    readonly code: ErrorCode
    readonly message: string
    readonly excerpt: string
  })[]
}

export interface ColumnProfile {
  /** The name in the schema, or the name in the file of an unknown column. */
  readonly name: string
  readonly heading: string
  readonly type: CellType
  /** True where the schema has the column. */
  readonly known: boolean
  /** Cells without text, quoted or not. */
  readonly empty: number
  readonly filled: number
  /** Cells that are not of the type. Empty cells of a `notNull` column are among them. */
  readonly invalid: number
  /** The first of them. */
  readonly invalidCells: readonly InvalidCell[]
  /** Distinct texts of filled cells. */
  readonly distinct: number
  /** False where `distinct` is an estimate, with a standard error of 1.6 percent. */
  readonly distinctIsExact: boolean
  /** Bytes of the texts of filled cells; null without filled cells. */
  readonly bytes: { readonly min: number; readonly max: number; readonly mean: number } | null
  /**
   * The least and the greatest value of the valid numbers (as doubles), days or times; null for
   * other types and without valid cells.
   */
  readonly range: ValueRange | null
  /** Frequent values; null where no value is frequent. */
  readonly frequent: FrequentReport | null
}

export interface InvalidCell extends ReportPosition {
  readonly reason: string
  /** The text of the cell, at most 80 characters. */
  readonly excerpt: string
}

export interface FrequentReport {
  /** The most frequent values, the highest count first. */
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** True where all distinct values were counted exactly; there may be more than are shown. */
  readonly isExact: boolean
  /** A count may lack so many cells, and a value with more cells than that is counted. */
  readonly lacking: number
  /** Cells with values of more than 64 bytes, which are not counted by value. */
  readonly tooLong: number
}

export interface SampleRow extends ReportPosition {
  /** The cells that are not empty. */
  readonly cells: readonly SampleCell[]
}

export interface SampleCell {
  readonly column: string
  /** The value, readable: aspects as `name: value`, regions as lists; at most 400 characters. */
  readonly text: string
  /** False where the cell is not of its type; then `text` is the text of the file. */
  readonly isValid: boolean
}
