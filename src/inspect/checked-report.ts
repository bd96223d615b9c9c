// Checks that a value, such as JSON of a file, is a report: the parts that a comparison and a page
// read.

import { optionInvalid } from '../engine/index'
import { type JsonShape, shapeFault, z } from '../service/index'
import { type InspectReport, REPORT_VERSION } from './report'

const EXPECTED = `a report of inspect (version ${REPORT_VERSION})`

const [count, text, yes] = [z.number(), z.string(), z.boolean()]
const place = fields(count, 'row', 'line', 'byteOffset')
const limit = z.union([count, text])
const named = z.array(z.object({ name: text }))

const gzip = z.object({
  ...fields(count, 'members', 'verifiedMembers', 'compressedBytes', 'outputBytes', 'ratio'),
  paddingBytes: count,
  ...fields(z.nullable(text), 'name', 'modifiedAt'),
})

const header = z.object({
  ...fields(z.array(text), 'columns', 'unknown'),
  ...fields(named, 'missing', 'renamed', 'deprecated', 'repeated'),
  isInOrder: yes,
})

const badRows = z.object({
  count,
  byCode: z.array(z.object({ code: text, count })),
  first: z.array(z.object({ ...place, ...fields(text, 'code', 'message', 'excerpt') })),
})

const column = z.object({
  ...fields(text, 'name', 'heading', 'type'),
  ...fields(count, 'empty', 'filled', 'invalid', 'distinct'),
  ...fields(yes, 'known', 'distinctIsExact'),
  invalidCells: z.array(z.object({ ...place, ...fields(text, 'reason', 'excerpt') })),
  bytes: z.nullable(z.object(fields(count, 'min', 'max', 'mean'))),
  range: z.nullable(z.object(fields(limit, 'min', 'max'))),
  frequent: z.nullable(
    z.object({
      values: z.array(z.object({ value: text, count })),
      isExact: yes,
      ...fields(count, 'lacking', 'tooLong'),
    }),
  ),
})

const cell = z.object({ ...fields(text, 'column', 'text'), isValid: yes })

const report: JsonShape<unknown> = z.object({
  version: z.literal(REPORT_VERSION),
  source: text,
  schema: z.nullable(text),
  schemaIsGuess: yes,
  ...fields(count, 'sourceBytes', 'textBytes', 'rows'),
  format: z.optional(text),
  gzip: z.nullable(gzip),
  header: z.nullable(header),
  badRows,
  columns: z.array(column),
  sample: z.array(z.object({ ...place, cells: z.array(cell) })),
  failure: z.nullable(z.object(fields(text, 'code', 'message'))),
})

/** Several fields of one shape. */
function fields<Name extends string, Shape>(shape: Shape, ...names: readonly Name[]) {
  return Object.fromEntries(names.map(name => [name, shape])) as Record<Name, Shape>
}

/** Returns the value where it is a report. @throws FeedError OPTION_INVALID */
export function checkedReport(option: string, value: unknown): InspectReport {
  const fault = shapeFault(report, value)
  if (fault === undefined) return value as InspectReport
  const where = fault.path === '' ? '' : ` (${fault.path}: ${fault.reason})`
  throw optionInvalid(option, `${EXPECTED}${where}`, value)
}
