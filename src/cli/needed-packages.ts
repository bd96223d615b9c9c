// The optional packages of the commands. A command reports all missing packages in one line before
// it does anything.

import { createRequire } from 'node:module'
import { peerDependencies } from '../../package.json'
import { FeedError } from '../index'

const EMULATOR_PACKAGES = ['hono', '@hono/node-server'] as const
const QUEUE_PACKAGES = ['bullmq', 'ioredis'] as const

export const NEEDED_PACKAGES = {
  'status --queue': QUEUE_PACKAGES,
  schedule: QUEUE_PACKAGES,
  unschedule: QUEUE_PACKAGES,
  worker: QUEUE_PACKAGES,
  serve: EMULATOR_PACKAGES,
  verify: EMULATOR_PACKAGES,
  'inspect --html': ['echarts'],
  demo: EMULATOR_PACKAGES,
} as const satisfies Record<string, readonly (keyof typeof peerDependencies)[]>

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the packages */
export function needPackages(
  command: keyof typeof NEEDED_PACKAGES,
  isInstalled = isResolved,
): void {
  const missing = NEEDED_PACKAGES[command].filter(name => !isInstalled(name))
  if (missing.length === 0) return
  const context = { package: missing.join(' '), neededFor: `feedmill ${command}` }
  const install = missing.map(name => `${name}@${peerDependencies[name]}`).join(' ')
  throw new FeedError(
    'DEPENDENCY_MISSING',
    `${context.neededFor} needs ${missing.join(', ')}: npm install ${install}`,
    context,
  )
}

/** A package that has no CommonJS form also counts as installed. */
function isResolved(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND'
  }
}
