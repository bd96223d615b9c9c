// The emulated service in a process of its own, so that the demo does not count its memory and
// time.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { FeedError } from '../../index'
import type { ServeAddress } from '../serve'

export interface EmulatorProcess extends ServeAddress {
  close(): Promise<void>
}

/** @param cli the script of the command */
export async function startEmulator(
  cli: string,
  items: number,
  seed: number,
): Promise<EmulatorProcess> {
  const child = fork(cli, ['serve', '--json', '--items', String(items), '--seed', String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Flags for debugging and profiling would also apply to the other process, and it would print.
    execArgv: [],
  })
  const exited = once(child, 'exit')
  const close = async () => {
    child.kill()
    await exited
  }
  const line = await Promise.race([firstLine(child.stdout!), exited.then(() => undefined)])
  const address = addressIn(line)
  if (address === undefined) {
    await close()
    throw new FeedError('STAGE_FAILED', 'the emulated service did not start', { stage: 'serve' })
  }
  return { ...address, close }
}

function addressIn(line: string | undefined): ServeAddress | undefined {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as ServeAddress)
  } catch {
    return undefined
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line
  return undefined
}
