// `feedmill bench`: measures, compares, and writes the report.

import { type BenchReport, benchText, measureBenches, regressionsIn } from '../../bench'
import { regressionText } from '../../bench/index'
import { FAILURE, failureLines, WRONG_USAGE } from '../exit-code'
import { given } from '../given'
import { print, printError } from '../output'
import { progressBar } from '../progress-bar'
import { writeTextFile } from '../text-file'
import type { BenchCommand } from './bench-command'
import { feedFileModule } from './feed-file'

/** Exit code 1 is kept for a proven regression, so every failure ends with 2. */
export async function benchCommand(
  modules: readonly string[],
  command: BenchCommand,
): Promise<void> {
  try {
    const report = await reportOf(modules, command)
    await writeReport(report, command)
    const regressions = regressionsIn(report)
    printError(regressions.map(judged => `regression: ${regressionText(judged.bench, judged)}`))
    if (regressions.length > 0) process.exitCode = FAILURE
  } catch (error) {
    printError(failureLines(error))
    process.exitCode = WRONG_USAGE
  }
}

async function reportOf(modules: readonly string[], command: BenchCommand): Promise<BenchReport> {
  const { file, base, build, baseline, rounds, only, measures, json } = command
  const files = file === undefined ? modules : [...modules, await feedFileModule(file, command)]
  const bar = progressBar(1, json !== '-')
  try {
    return await measureBenches({
      files,
      rounds,
      measures,
      ...given({ only, base, build, baseline }),
      onProgress: ({ done, what }) => bar.update(done, what),
    })
  } finally {
    bar.stop()
  }
}

async function writeReport(
  report: BenchReport,
  { save, json, format, out }: BenchCommand,
): Promise<void> {
  const whole = benchText(report, 'json')
  if (save !== undefined) await writeTextFile(save, whole)
  if (json !== undefined && json !== '-') await writeTextFile(json, whole)
  const text = benchText(report, json === '-' ? 'json' : format)
  if (out === undefined || json === '-') await print(text.split('\n'))
  if (out !== undefined) await writeTextFile(out, benchText(report, format))
}
