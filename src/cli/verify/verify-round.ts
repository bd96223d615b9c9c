// One round: a service with its faults, the command as often as a scheduler would start it, and the
// comparison of its output with the truth.

import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Emulator } from '../../emulator'
import { FeedError } from '../../index'
import { addressOf, serviceVariables } from '../serve'
import { SERVICE_VARIABLES } from '../service-settings'
import { compareOutput, type Differences, KINDS } from './compare-output'
import type { Round } from './fault-rounds'
import { type ColumnChoice, type OutputColumns, readColumns } from './output-columns'
import { type OutputFormat, outputRows } from './output-rows'
import { roundService, type VerifyWorld } from './round-service'
import { type CommandRun, runCommand } from './run-command'
import type { TrueState } from './truth'
import type { VerifyOptions } from './verify-command'

/** The options of the command that every round has, checked. */
export interface RoundOptions
  extends VerifyWorld,
    ColumnChoice,
    Pick<VerifyOptions, 'output' | 'table' | 'attempts' | 'timeout'> {
  readonly command: readonly string[]
  readonly format: OutputFormat
}

export interface RoundResult {
  readonly name: string
  readonly ok: boolean
  /** How often the command was started. */
  readonly attempts: number
  /** The last exit code, or null when the command was killed. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly seconds: number
  /** The number of active items at the end. */
  readonly items: number
  /** Why there is nothing to compare. */
  readonly unreadable?: string
  readonly differences?: Differences
  readonly columns?: OutputColumns
  /** The end of what the command printed in its last attempt. */
  readonly printed: string
}

/** The environment variables for the command, beside those of SERVICE_VARIABLES. */
export const ROUND_VARIABLES = {
  marketplace: 'FEEDMILL_MARKETPLACE',
  categories: 'FEEDMILL_CATEGORIES',
  now: 'FEEDMILL_NOW',
  folder: 'FEEDMILL_FOLDER',
  output: 'FEEDMILL_OUTPUT',
} as const

/** @throws FeedError OPTION_INVALID, LISTEN_FAILED, DEPENDENCY_MISSING */
export async function verifyRound(
  round: Round,
  options: RoundOptions,
  parent: string,
  signal: AbortSignal,
): Promise<RoundResult> {
  const folder = join(parent, round.name)
  await mkdir(folder)
  const path = join(folder, options.output)
  const { emulator, url, truth } = await roundService(round, options)
  try {
    const env = environment(emulator, url, options, folder, path)
    const startedAt = performance.now()
    const { attempts, run } = await attempted(options, env, signal)
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3))
    const compared = await comparison(path, options, truth)
    return {
      name: round.name,
      ok: run.exitCode === 0 && KINDS.every(kind => compared.differences?.[kind] === 0),
      attempts,
      exitCode: run.exitCode,
      timedOut: run.timedOut,
      seconds,
      items: truth.items.size,
      ...compared,
      printed: run.output,
    }
  } finally {
    await emulator.close()
  }
}

/** A scheduler starts a command again that has failed, but not one that hangs. */
async function attempted(
  { command, attempts: most, timeout }: RoundOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ attempts: number; run: CommandRun }> {
  for (let attempts = 1; ; attempts++) {
    const run = await runCommand({ command, env, timeoutMs: timeout * 1000, signal })
    const isLast = run.exitCode === 0 || run.timedOut || signal.aborted || attempts === most
    if (isLast) return { attempts, run }
  }
}

function environment(
  emulator: Emulator,
  url: string,
  { marketplace, categories }: VerifyWorld,
  folder: string,
  output: string,
): NodeJS.ProcessEnv {
  const address = addressOf(emulator, url)
  // A proxy cannot reach the service on this machine.
  const noProxy = [process.env.NO_PROXY ?? process.env.no_proxy, '127.0.0.1'].filter(Boolean).join()
  return {
    ...process.env,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    [SERVICE_VARIABLES.profile]: undefined,
    [SERVICE_VARIABLES.credentials]: undefined,
    ...serviceVariables(address),
    [ROUND_VARIABLES.marketplace]: marketplace,
    [ROUND_VARIABLES.categories]: categories.join(),
    [ROUND_VARIABLES.now]: address.now,
    [ROUND_VARIABLES.folder]: folder,
    [ROUND_VARIABLES.output]: output,
  }
}

async function comparison(
  path: string,
  { format, table, rename, ignore }: RoundOptions,
  truth: TrueState,
): Promise<Pick<RoundResult, 'unreadable' | 'differences' | 'columns'>> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return { unreadable: 'the command wrote no output' }
  // Reading a FIFO or a device may never end.
  if (!found.isFile()) return { unreadable: 'the output must be a file' }
  const rows = () => outputRows({ path, format, table })
  try {
    const columns = await readColumns(rows(), truth.columns, { rename, ignore })
    return { columns, differences: await compareOutput(rows(), columns, truth) }
  } catch (error) {
    if (FeedError.is(error) && error.code === 'STAGE_INPUT_INVALID')
      return { unreadable: error.message }
    throw error
  }
}
