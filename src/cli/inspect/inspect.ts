// `feedmill inspect FILE | URL`: shows what is in a file, and what differs from an earlier report.

import { type FeedSchema, schemaOf } from '../../index'
import { compareReports, type InspectReport, inspect, reportHtml } from '../../inspect'
import { dialectOf, FEEDS } from '../command-options'
import { FAILURE } from '../exit-code'
import { given } from '../given'
import { jsonFile } from '../json-file'
import { needPackages } from '../needed-packages'
import { jsonText, print } from '../output'
import { schemaFile } from '../schema-file'
import { writeTextFile } from '../text-file'
import type { InspectCommand } from './inspect-command'
import { inspectLines } from './inspect-lines'

const STANDARD_INPUT = '-'

/**
 * Inspects, compares and prints. The exit code is 1 where the file cannot be read to its end or the
 * drift breaks a consumer; the report is printed all the same.
 * @throws OPTION_INVALID, the error of a source that cannot be read, SINK_FAILED,
 * DEPENDENCY_MISSING for `--html` without echarts
 */
export async function inspectCommand(file: string, options: InspectCommand): Promise<void> {
  const { against, html, json, sample } = options
  if (html !== undefined) needPackages('inspect --html')
  const before =
    against === undefined ? undefined : (jsonFile('--against', against) as InspectReport)
  const schema = (await schemaOption(options)) ?? schemaBefore(before)
  const name = file === STANDARD_INPUT ? 'standard input' : undefined
  const settings = { sampleRows: sample, dialect: dialectOf(options), ...given({ schema, name }) }
  const report = await inspect(name === undefined ? file : process.stdin, settings)
  const drift = before && compareReports(before, report)
  if (html !== undefined) await writeTextFile(html, await reportHtml(report, drift))
  await print(json ? jsonText({ ...report, ...(drift && { drift }) }) : inspectLines(report, drift))
  if (report.failure !== null || drift?.some(({ severity }) => severity === 'breaks'))
    process.exitCode = FAILURE
}

async function schemaOption({ feed, schema }: InspectCommand): Promise<FeedSchema | undefined> {
  if (schema !== undefined) return schemaFile(schema)
  return feed === undefined ? undefined : schemaOf(feed)
}

/** A file is held against the schema of the earlier one, even where its own names have changed. */
function schemaBefore(before: Partial<InspectReport> | undefined): FeedSchema | null | undefined {
  if (before?.schema === null) return null
  const feed = FEEDS.find(name => name === before?.schema)
  return feed && schemaOf(feed)
}
