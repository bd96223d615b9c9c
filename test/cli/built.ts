// The command as it is built, run in processes of its own.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { builtScripts } from '../built-scripts'

/** Standard output: a pipe, or a descriptor. */
type Target = 'pipe' | number

export interface BuiltCommand {
  /** Runs `feedmill` with these words. A third descriptor is a pipe. */
  start(words: readonly string[], stdout?: Target, stderr?: Target): ChildProcess
  drop(): Promise<void>
}

export async function builtCommand(): Promise<BuiltCommand> {
  const outDir = await builtScripts('cli', { cli: 'src/cli/main.ts' })
  const children: ChildProcess[] = []
  return {
    start(words, stdout = 'pipe', stderr = 'pipe') {
      const stdio: StdioOptions = ['ignore', stdout, stderr, 'pipe']
      const child = spawn(process.execPath, [join(outDir, 'cli.js'), ...words], { stdio })
      children.push(child)
      return child
    },
    async drop() {
      // A command that still runs should have ended by itself.
      for (const child of children) child.kill('SIGKILL')
      await rm(outDir, { recursive: true })
    },
  }
}

/** The output and the exit code of a process. */
export async function ended(child: ChildProcess) {
  const exit = once(child, 'exit')
  const streams = [child.stdout, child.stderr, child.stdio[3] as NodeJS.ReadableStream]
  const [out = '', err = '', third = ''] = await Promise.all(
    streams.map(stream =>
      stream && !(stream as { destroyed?: boolean }).destroyed ? text(stream) : '',
    ),
  )
  return { code: (await exit)[0] as number | null, out, err, third }
}

/** The files of processes that hold a state folder. */
export function locksOf(state: string): string[] {
  const lock = join(state, 'lock')
  return existsSync(lock) ? readdirSync(lock) : []
}
