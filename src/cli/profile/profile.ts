// `feedmill profile FILE`: shows where the time goes for a file of the user, and whether it has
// become slower.

import { thisMachine } from '../../bench/index'
import { type FeedName, ndjsonSink, pipeline } from '../../index'
import { FAILURE } from '../exit-code'
import { jsonText, print, printError } from '../output'
import { progressBar } from '../progress-bar'
import { schemaFile } from '../schema-file'
import { compare, readBaseline } from './profile-baseline'
import type { CellReading } from './profile-cells'
import { profiledFile } from './profile-file'
import { roundInProcess } from './profile-process'
import { comparisonReport, profileReport } from './profile-report'
import { type ProfileSubject, profileResult } from './profile-result'
import type { RoundResult } from './profile-round'

export interface ProfileOptions {
  readonly feed: FeedName
  /** The path of the schema to read the file with, in place of that of the feed. */
  readonly schema?: string
  readonly read: CellReading
  readonly rounds: number
  /** Prints JSON instead of the table. */
  readonly json?: boolean
  readonly baseline?: string
  readonly save?: string
  /** The share of the throughput that may be lost. */
  readonly tolerance: number
}

/**
 * Measures, prints and compares. When the file has become slower, the exit code is 1 and no
 * baseline is saved.
 * @param runRound runs one round; by default in a process of its own
 * @throws OPTION_INVALID before anything is measured; the error of a file that cannot be read to
 * its end, with its position; SINK_FAILED
 */
export async function profile(
  path: string,
  options: ProfileOptions,
  runRound = roundInProcess,
): Promise<void> {
  const schema = options.schema === undefined ? undefined : await ownSchema(options.schema)
  const subject: ProfileSubject = {
    file: await profiledFile(path),
    feed: options.feed,
    ...schema,
    reading: options.read,
  }
  const baseline =
    options.baseline === undefined ? undefined : await readBaseline(options.baseline, subject)
  const rounds = await measure(subject, options, runRound)
  const result = profileResult(subject, thisMachine(), rounds)
  const comparison = baseline && compare(baseline, result, options.tolerance)
  const told = { ...result, ...(comparison && { comparison }) }

  await print(options.json === true ? jsonText(told, 2).split('\n') : profileReport(result))
  for (const warning of comparison?.warnings ?? []) printError(`warning: ${warning}`)
  if (comparison) printError(comparisonReport(comparison, result.totals))
  if (comparison?.verdict === 'slower') process.exitCode = FAILURE
  else if (options.save !== undefined) await write(options.save, result)
}

/** Checks the schema before a round loads it. */
async function ownSchema(path: string): Promise<Pick<ProfileSubject, 'feed' | 'schema'>> {
  const { name } = await schemaFile(path)
  return { feed: name, schema: { path, sha256: (await profiledFile(path)).sha256 } }
}

async function measure(
  subject: ProfileSubject,
  { rounds, json }: ProfileOptions,
  runRound: typeof roundInProcess,
): Promise<RoundResult[]> {
  const { bytes } = subject.file
  const bar = progressBar(rounds * bytes, json !== true)
  const results: RoundResult[] = []
  try {
    while (results.length < rounds) {
      const done = results.length
      results.push(
        await runRound(subject, bytesRead =>
          bar.update(done * bytes + bytesRead, `round ${done + 1} of ${rounds}`),
        ),
      )
    }
  } finally {
    bar.stop()
  }
  return results
}

/** The file appears whole or not at all, because a truncated baseline would be useless. */
async function write(path: string, result: unknown): Promise<void> {
  await pipeline([result]).run(ndjsonSink(path))
}
