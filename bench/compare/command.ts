// Runs one command to its end, in silence: what it says is shown only where it fails.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** `npm ci` over a slow network is the longest. */
const TIME_LIMIT_MS = 10 * 60 * 1000
const OUTPUT_BYTES = 16 * 1024 * 1024

/** @returns its standard output */
export async function command(directory: string, name: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute(name, args, {
      cwd: directory,
      timeout: TIME_LIMIT_MS,
      maxBuffer: OUTPUT_BYTES,
    })
    return stdout
  } catch (cause) {
    const { stderr = '', stdout = '' } = cause as { stderr?: string; stdout?: string }
    throw new Error(`${name} ${args.join(' ')} failed in ${directory}\n${stdout}${stderr}`, {
      cause,
    })
  }
}
