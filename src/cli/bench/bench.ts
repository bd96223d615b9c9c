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
import { appendToHistory, readHistory } from './history'

/** Exit code 1 is kept for a proven regression, so every failure ends with 2. */
export async function benchCommand(
  modules: readonly string[],
  command: BenchCommand,
): Promise<void> {
  try {
    const { append } = command
    // Another file is refused before the runs, which take minutes.
    if (append !== undefined) await readHistory(append)
    const report = await reportOf(modules, command)
    if (append !== undefined) await appendToHistory(append, report)
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
  const { file, base, against, build, baseline, rounds, only, measures, json } = command
  const files = file === undefined ? modules : [...modules, await feedFileModule(file, command)]
  const bar = progressBar(1, json !== '-')
  try {
    return await measureBenches({
      files,
      rounds,
      measures,
      ...given({ only, base, against, build, baseline }),
      onProgress: ({ done, what, provable }) => {
        if (provable === undefined) bar.update(done, what)
        else bar.above(provable)
      },
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
