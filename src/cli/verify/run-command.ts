// Runs the command of a round in a process group of its own, with a time limit, and keeps the end
// of what it prints.

import { type ChildProcess, spawn } from 'node:child_process'
import type { FeedError } from '../../index'
import { usageError } from '../usage-error'

export type CommandRun = Awaited<ReturnType<typeof runCommand>>

export interface CommandOptions {
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  /** Kills the command when it fires. */
  readonly signal: AbortSignal
}

const OUTPUT_CHARS = 4_000
/** How long to wait for output that another process may still hold open. */
const CLOSE_MS = 1_000

/** @throws FeedError OPTION_INVALID when the command cannot be started */
export async function runCommand({ command, env, timeoutMs, signal }: CommandOptions) {
  const [program = '', ...words] = command
  const child = spawn(program, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that the processes that the command starts end with it.
    detached: process.platform !== 'win32',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS)
    })
  let timedOut = false
  const kill = () => killGroup(child)
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  try {
    const exitCode = await exitOf(child, program)
    kill()
    await closed(child)
    return { exitCode, timedOut, output }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
  }
}

function exitOf(child: ChildProcess, program: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('exit', resolve)
    child.once('error', cause => reject(notStarted(program, cause)))
  })
}

function notStarted(program: string, cause: NodeJS.ErrnoException): FeedError {
  const expected = 'a program in the PATH, or its path'
  const message = `the command ${program} cannot be started (${cause.code ?? cause.message}): give ${expected}`
  return usageError('command', expected, program, message, cause)
}

/** Kills the command and the processes that it has started. They may have ended already. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {}
}

async function closed(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr]
  if (streams.every(stream => stream?.closed !== false)) return
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, CLOSE_MS)
    child.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  for (const stream of streams) stream?.destroy()
}
