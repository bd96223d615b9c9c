// Runs one command to its end, in silence: what it prints is shown only where it fails.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { benchFailed } from './bench-failed'

const execute = promisify(execFile)

/** `npm ci` over a slow network takes the longest. */
const TIME_LIMIT_MS = 15 * 60 * 1000
const OUTPUT_BYTES = 64 * 1024 * 1024
/** The end of a long output says what failed. */
const SHOWN_LETTERS = 1_500

export interface CommandPlace {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
}

/** Returns the standard output. @throws FeedError BENCH_FAILED */
export async function command(
  place: CommandPlace,
  name: string,
  ...args: string[]
): Promise<string> {
  try {
    const { stdout } = await execute(name, args, {
      ...place,
      timeout: TIME_LIMIT_MS,
      maxBuffer: OUTPUT_BYTES,
    })
    return stdout
  } catch (cause) {
    const { stderr = '', stdout = '', message } = cause as Error & Record<string, string>
    const output = `${stdout}${stderr}`.trim() || message
    const words = [name, ...args].join(' ')
    throw benchFailed(`\`${words}\` in ${place.cwd}`, output.slice(-SHOWN_LETTERS), cause)
  }
}

/** Runs the words of a caller in the shell of the system. */
export function shellCommand(place: CommandPlace, words: string): Promise<string> {
  return process.platform === 'win32'
    ? command(place, 'cmd.exe', '/d', '/s', '/c', words)
    : command(place, '/bin/sh', '-c', words)
}
