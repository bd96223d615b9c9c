// A synchronisation in a process of its own that is killed in the middle, as a machine that loses
// power would end it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { FeedError } from '../../index'
import { SERVICE_VARIABLES } from '../service-settings'
import { CATEGORY, type DemoJob, MARKETPLACE, SCOPE_BASE } from './demo-job'

/** Kills the run when the state has that many files. @returns how many files the run reported */
export async function killedRun(
  { options, address, now }: DemoJob,
  folder: string,
  files: number,
): Promise<number> {
  const words = [
    '--marketplace',
    MARKETPLACE,
    '--category',
    CATEGORY,
    '--state',
    folder,
    '--now',
    now.toISOString(),
    '--no-changes',
    // With `--follow` the run does not end by itself, so the signal always reaches a living
    // process.
    '--follow',
    '--json',
  ]
  const child = spawn(process.execPath, [options.cli, 'sync', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      [SERVICE_VARIABLES.baseUrl]: address.url,
      [SERVICE_VARIABLES.tokenUrl]: address.tokenUrl,
      [SERVICE_VARIABLES.scopeBase]: SCOPE_BASE,
      [SERVICE_VARIABLES.clientId]: address.clientId,
      [SERVICE_VARIABLES.clientSecret]: address.clientSecret,
    },
  })
  const exited = once(child, 'exit')
  let done = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if ((JSON.parse(line) as { type?: unknown }).type !== 'done') continue
    if (++done === files) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  if (signal !== 'SIGKILL')
    throw new FeedError(
      'STAGE_FAILED',
      'the run ended before the demo could kill it: use more items',
      {
        stage: 'demo',
      },
    )
  return done
}
