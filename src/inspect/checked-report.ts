// Checks that a value, such as JSON of a file, is a report: the parts that a comparison and a page
// read.

import { optionInvalid } from '../engine/index'
import { type JsonShape, shapeFault, z } from '../service/index'
import { type InspectReport, REPORT_VERSION } from './report'

const EXPECTED = `a report of inspect (version ${REPORT_VERSION})`

const count = z.number()
const place = { row: count, line: count, byteOffset: count }
const limit = z.union([z.number(), z.string()])

const column = z.object({
  name: z.string(),
  heading: z.string(),
  type: z.string(),
  known: z.boolean(),
  empty: count,
  filled: count,
  invalid: count,
  invalidCells: z.array(z.object({ ...place, reason: z.string(), excerpt: z.string() })),
  distinct: count,
  distinctIsExact: z.boolean(),
  bytes: z.nullable(z.object({ min: count, max: count, mean: count })),
  range: z.nullable(z.object({ min: limit, max: limit })),
  frequent: z.nullable(
    z.object({
      values: z.array(z.object({ value: z.string(), count })),
      isExact: z.boolean(),
      lacking: count,
      tooLong: count,
    }),
  ),
})

const named = z.array(z.object({ name: z.string() }))

const report: JsonShape<unknown> = z.object({
  version: z.literal(REPORT_VERSION),
  source: z.string(),
  schema: z.nullable(z.string()),
  schemaIsGuess: z.boolean(),
  sourceBytes: count,
  textBytes: count,
  gzip: z.nullable(
    z.object({
      members: count,
      verifiedMembers: count,
      compressedBytes: count,
      outputBytes: count,
      ratio: count,
      paddingBytes: count,
      name: z.nullable(z.string()),
      modifiedAt: z.nullable(z.string()),
    }),
  ),
  header: z.nullable(
    z.object({
      columns: z.array(z.string()),
      missing: named,
      unknown: z.array(z.string()),
      renamed: named,
      deprecated: named,
      repeated: named,
      isInOrder: z.boolean(),
    }),
  ),
  rows: count,
  badRows: z.object({
    count,
    byCode: z.array(z.object({ code: z.string(), count })),
    first: z.array(
      z.object({ ...place, code: z.string(), message: z.string(), excerpt: z.string() }),
    ),
  }),
  columns: z.array(column),
  sample: z.array(
    z.object({
      ...place,
      cells: z.array(z.object({ column: z.string(), text: z.string(), isValid: z.boolean() })),
    }),
  ),
  failure: z.nullable(z.object({ code: z.string(), message: z.string() })),
})

/** Returns the value where it is a report. @throws FeedError OPTION_INVALID */
export function checkedReport(option: string, value: unknown): InspectReport {
  const fault = shapeFault(report, value)
  if (fault === undefined) return value as InspectReport
  const where = fault.path === '' ? '' : ` (${fault.path}: ${fault.reason})`
  throw optionInvalid(option, `${EXPECTED}${where}`, value)
}
