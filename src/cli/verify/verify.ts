// `feedmill verify`: runs a program of any language against the emulated service, without faults,
// with each kind of fault, and with all of them, and compares what it wrote with the truth.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, isAbsolute, join } from 'node:path'
import { createWorld } from '../../emulator'
import type { FeedError } from '../../index'
import { FAILURE } from '../exit-code'
import { jsonText, print } from '../output'
import { stopRequest } from '../sync/stop-signals'
import { writeTextFile } from '../text-file'
import { usageError } from '../usage-error'
import { roundsOf } from './fault-rounds'
import { checkDocumented } from './output-columns'
import type { OutputFormat } from './output-rows'
import type { VerifyOptions } from './verify-command'
import { type VerifyReport, verifyLines } from './verify-report'
import { type RoundOptions, verifyRound } from './verify-round'

const FORMATS: Readonly<Record<string, OutputFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.db': 'sqlite',
  '.sqlite': 'sqlite',
  '.sqlite3': 'sqlite',
}

/**
 * Sets the exit code 1 when a round is wrong, and that of the signal after a signal.
 * @throws FeedError OPTION_INVALID, LISTEN_FAILED, DEPENDENCY_MISSING, SINK_FAILED
 */
export async function verify(command: readonly string[], options: VerifyOptions): Promise<void> {
  const settings = roundOptions(command, options)
  const stop = stopRequest()
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-verify-'))
  try {
    const report = await runRounds(settings, options.fault, folder, stop.signal)
    if (stop.exitCode === undefined) {
      const text = jsonText(jsonReport(report, settings))
      if (typeof options.json === 'string') await writeTextFile(options.json, text)
      await print(options.json === true ? text : verifyLines(report))
    }
    process.exitCode = stop.exitCode ?? (report.ok ? 0 : FAILURE)
  } finally {
    stop.release()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Stops after a wrong baseline, because every other round would find the same again. */
async function runRounds(
  settings: RoundOptions,
  names: readonly string[] | undefined,
  folder: string,
  signal: AbortSignal,
): Promise<VerifyReport> {
  const all = roundsOf(names)
  const rounds: VerifyReport['rounds'][number][] = []
  for (const round of all) {
    if (signal.aborted || rounds[0]?.result.ok === false) break
    const result = await verifyRound(round, settings, folder, signal)
    rounds.push({ ...round, result })
    await rm(join(folder, round.name), { recursive: true, force: true })
  }
  const left = all.slice(rounds.length).map(({ name }) => name)
  return { ok: left.length === 0 && rounds.every(({ result }) => result.ok), rounds, left }
}

/** The object that `--json` prints. */
function jsonReport(
  { ok, rounds, left }: VerifyReport,
  { seed, items, marketplace, categories }: RoundOptions,
) {
  return {
    ok,
    seed,
    items,
    marketplace,
    categories,
    left,
    rounds: rounds.map(({ name, faults, result }) => ({
      ...result,
      columns: result.columns && {
        ...result.columns,
        compared: result.columns.compared.map(column => column.name),
      },
      faults:
        name === 'together' ? [] : faults.map(({ does, must, source }) => ({ does, must, source })),
    })),
  }
}

function roundOptions(command: readonly string[], options: VerifyOptions): RoundOptions {
  const { seed, items, category: categories = ['220'], output } = options
  const rename = new Map(options.rename.map(pairOf))
  checkDocumented('rename', rename.values(), createWorld({ seed, items }).itemColumns)
  if (isAbsolute(output) || output.split(/[\\/]/).includes('..'))
    throw invalid('output', 'a path below the folder of the round', output)
  return { ...options, command, categories, format: options.format ?? formatOf(output), rename }
}

function formatOf(output: string): OutputFormat {
  const format = FORMATS[extname(output).toLowerCase()]
  if (format !== undefined) return format
  const expected = `a name that ends in ${Object.keys(FORMATS).join(', ')}, or --format`
  throw invalid('output', expected, output)
}

function pairOf(text: string): [string, string] {
  const [theirs = '', documented = '', ...rest] = text.split('=')
  if (theirs === '' || documented === '' || rest.length > 0)
    throw invalid('rename', 'a pair such as sku=itemId', text)
  return [theirs, documented]
}

function invalid(option: string, expected: string, received: string): FeedError {
  const message = `${option} must be ${expected}, not ${received}`
  return usageError(option, expected, received.slice(0, 80), message)
}
