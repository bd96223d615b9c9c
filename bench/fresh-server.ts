// Starts file-server-process.ts in a process of its own and ends it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FileServer } from './file-server'

/** For a Node process to start and listen. */
const START_LIMIT_MS = 10_000

/**
 * @throws where the server does not start; what it wrote to the standard error was shown already
 */
export async function inFreshServer(path: string): Promise<FileServer> {
  const script = fileURLToPath(new URL('./file-server-process.js', import.meta.url))
  const child = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const timer = setTimeout(() => child.kill(), START_LIMIT_MS)
  const url = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    ended.then(() => undefined),
  ])
  clearTimeout(timer)
  if (url === undefined) throw new Error('the file server did not start')
  const close = async () => {
    child.stdin.end()
    await ended
  }
  return { url: String(url[0]).trim(), close }
}
