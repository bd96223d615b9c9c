// The emulated service in a process of its own, so that its memory and time are not counted as the demo's.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { FeedError } from '../index'
import type { ServeAddress } from './serve'

export interface EmulatorProcess extends ServeAddress {
  close(): Promise<void>
}

/** @param cli the command's own script */
export async function startEmulator(cli: string, items: number, seed: number): Promise<EmulatorProcess> {
  const child = fork(cli, ['serve', '--json', '--items', String(items), '--seed', String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const address = await Promise.race([firstLine(child.stdout!), exited.then(() => undefined)])
  if (address === undefined) throw new FeedError('STAGE_FAILED', 'the emulated service did not start', { stage: 'serve' })
  const close = async () => {
    child.kill()
    await exited
  }
  return { ...(JSON.parse(address) as ServeAddress), close }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line
  return undefined
}
