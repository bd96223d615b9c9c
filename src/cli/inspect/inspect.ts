// `feedmill inspect FILE | URL`: shows what is in a file, and what differs from an earlier report.

import { type FeedSchema, schemaOf } from '../../index'
import { compareReports, type InspectReport, inspect, reportHtml } from '../../inspect'
import { inspectablePlace } from '../bucket-place'
import { dialectOf, FEEDS } from '../command-options'
import { FAILURE } from '../exit-code'
import { given } from '../given'
import { jsonFile } from '../json-file'
import { needPackages } from '../needed-packages'
import { jsonText, print, printError } from '../output'
import { describedByOptions } from '../schema-file'
import { writeTextFile } from '../text-file'
import type { InspectCommand } from './inspect-command'
import { failureLines, inspectLines } from './inspect-lines'
import { schemaCode, schemaJson } from './schema-code'

const STANDARD_INPUT = '-'

/**
 * Inspects, compares, writes and prints. A file that cannot be read to its end has no schema. The
 * exit code is 1 there, and where the drift breaks a consumer; the report is printed all the same.
 * @throws OPTION_INVALID, the error of a source that cannot be read, SINK_FAILED,
 * DEPENDENCY_MISSING for `--html` without echarts
 */
export async function inspectCommand(file: string, options: InspectCommand): Promise<void> {
  const { against, html, json, sample, types, writeSchema } = options
  if (html !== undefined) needPackages('inspect --html')
  const before =
    against === undefined ? undefined : (jsonFile('--against', against) as InspectReport)
  const described = await describedByOptions(options)
  const schema = described === undefined ? schemaBefore(before) : described.schema
  const name = file === STANDARD_INPUT ? 'standard input' : /^s3:/i.exec(file)?.input
  const settings = {
    sampleRows: sample,
    dialect: dialectOf(options, described?.dialect),
    infer: types || writeSchema !== undefined,
    ...given({ schema, name }),
  }
  const source = file === STANDARD_INPUT ? process.stdin : await inspectablePlace(file)
  const report = await inspect(source, settings)
  const drift = before && compareReports(before, report)
  if (html !== undefined) await writeTextFile(html, await reportHtml(report, drift))
  const { inferred } = report
  if (writeSchema !== undefined && inferred) await writeTextFile(writeSchema, schemaJson(inferred))
  const shown = json
    ? jsonText({ ...report, ...(drift && { drift }) })
    : inspectLines(report, drift)
  if (!types) await print(shown)
  else if (inferred) await print(schemaCode(inferred))
  else printError(failureLines(report))
  if (report.failure !== null || drift?.some(({ severity }) => severity === 'breaks'))
    process.exitCode = FAILURE
}

/** A file is held against the schema of the earlier one, even where its own names have changed. */
function schemaBefore(before: Partial<InspectReport> | undefined): FeedSchema | null | undefined {
  if (before?.schema === null) return null
  const feed = FEEDS.find(name => name === before?.schema)
  return feed && schemaOf(feed)
}
