// `feedmill sync` as a user starts it, in a process of its own: default options, the built command,
// and an emulated service in another process. Resources are those that the process itself reports
// when it ends.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { benchFailed } from '../../src/bench/bench-failed'

/** The built command of the working folder. */
const CLI = 'dist/cli.js'
const NOW = '2026-03-02T02:00:00Z'
const REPORT = `data:text/javascript,${encodeURIComponent(`
import { writeSync } from 'node:fs'
process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())))`)}`

export interface WholeService {
  /** Says where the service is. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface WholeRun {
  readonly seconds: number
  /** Processor time. */
  readonly cpuSeconds: number
  /** The peak memory in 10^6 bytes. */
  readonly peakMb: number
}

/** Starts the service, with a day of hourly files. */
export async function startService(items: number): Promise<WholeService> {
  const args = ['serve', '--port', '0', '--json', '--items', String(items), '--seed', '5']
  const child = spawn(process.execPath, [CLI, ...args, '--now', NOW], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const { url, tokenUrl, scopeBase, clientId, clientSecret } = JSON.parse(String(line))
  return {
    env: {
      FEEDMILL_BASE_URL: url,
      FEEDMILL_TOKEN_URL: tokenUrl,
      FEEDMILL_SCOPE_BASE: scopeBase,
      FEEDMILL_CLIENT_ID: clientId,
      FEEDMILL_CLIENT_SECRET: clientSecret,
    },
    async close() {
      child.kill()
      await once(child, 'close')
    },
  }
}

/** Runs one whole `feedmill sync` with the arguments that name its place. */
export async function wholeSync(
  service: WholeService,
  place: readonly string[],
): Promise<WholeRun> {
  const category = ['--marketplace', 'MKT_US', '--category', '220', '--now', NOW]
  return wholeCommand(['sync', ...category, ...place], service.env)
}

/** Runs one whole command. */
export function wholeCommand(
  words: readonly string[],
  env: WholeService['env'] = {},
): Promise<WholeRun> {
  return wholeProcess([CLI, ...words], env)
}

const DUCKDB_SCRIPT = `
import { DuckDBInstance } from '@duckdb/node-api'
const [, file, ...statements] = process.argv
const instance = await DuckDBInstance.create(file, { threads: '2' })
const connection = await instance.connect()
for (const statement of statements) await connection.run(statement)
connection.closeSync()
instance.closeSync()`

/** Runs statements of DuckDB's own on two threads, without a limit of memory, and closes the file. */
export function wholeDuckdb(file: string, ...statements: readonly string[]): Promise<WholeRun> {
  return wholeScript(DUCKDB_SCRIPT, [file, ...statements])
}

/** Runs the text of a module of the working folder in a process of its own. */
export function wholeScript(text: string, words: readonly string[]): Promise<WholeRun> {
  return wholeProcess(['--input-type=module', '--eval', text, ...words])
}

async function wholeProcess(
  words: readonly string[],
  env: WholeService['env'] = {},
): Promise<WholeRun> {
  const started = performance.now()
  const child = spawn(process.execPath, ['--import', REPORT, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const [errors, report, [code]] = await Promise.all([
    text(child.stderr!),
    text(child.stdio[3] as Readable),
    once(child, 'close'),
  ])
  const seconds = (performance.now() - started) / 1000
  if (code !== 0) throw benchFailed(`node ${words.join(' ')}`, `ended with ${code}: ${errors}`)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(report)
  return {
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMb: (maxRSS * 1024) / 1e6,
  }
}
