// The origin of stored rows as JSON: the header line and the file that they came with.

import type { CellRules, Columns, FeedFile, RowBatch } from '../engine/index'

/** A header line as it is stored. */
export interface HeaderRecord {
  readonly headings: readonly string[]
  /** Absent where as in the documented files. */
  readonly cells?: CellRules
}

/** An origin as it is stored in JSON. Dates are milliseconds since 1970. */
export interface OriginRecord {
  readonly header: HeaderRecord
  /**
   * The number of the mending that the rows come from: they replace rows of the same version from
   * before. Absent for rows as their file had them.
   */
  readonly mended?: number
  /** True for rows that remove their keys and keep their cells, which only the rows of a stage do. */
  readonly removes?: true
  readonly file: Omit<FeedFile, 'hour' | 'lastModified'> & {
    readonly hour?: number
    readonly lastModified?: number
  }
}

export function recordOf({
  header,
  file,
}: Pick<RowBatch<Columns>, 'header' | 'file'>): OriginRecord {
  const headings = header.columns.map(column => column.heading)
  return {
    header: { headings, ...(header.cells && { cells: header.cells }) },
    file: fileRecordOf(file),
  }
}

export function fileRecordOf({ hour, lastModified, ...rest }: FeedFile): OriginRecord['file'] {
  return {
    ...rest,
    ...(isValid(hour) && { hour: hour.getTime() }),
    ...(isValid(lastModified) && { lastModified: lastModified.getTime() }),
  }
}

/** An invalid date is left out. JSON would store it as null, which would be read as 1970. */
function isValid(date: Date | undefined): date is Date {
  return date !== undefined && !Number.isNaN(date.getTime())
}

export function fileOf({ hour, lastModified, ...rest }: OriginRecord['file']): FeedFile {
  return {
    ...rest,
    ...(hour !== undefined && { hour: new Date(hour) }),
    ...(lastModified !== undefined && { lastModified: new Date(lastModified) }),
  }
}
