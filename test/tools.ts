// Programs that some tests need beyond Node and git, and devices, by their paths. On a machine that
// lacks one, the tests that need it are left out, and the run says so at its end.
// FEEDMILL_REQUIRE_TOOLS=1 turns leaving out into failing: CI installs every program; a device is
// there or not.

import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Every tool that a test may ask for, and what is tested with it. */
export const TOOLS = {
  curl: 'downloads by curl',
  wget: 'downloads by wget',
  aria2c: 'downloads by aria2c',
  bash: 'the completion of bash',
  zsh: 'the completion of zsh',
  fish: 'the completion of fish',
  zip: 'archives of Info-ZIP',
  python3: 'the ingestion example in Python',
  sqlite3: 'SQLite outputs by the program sqlite3',
  strace: 'kills and disk errors at the Nth system call',
  'redis-server': 'a restart of Redis',
  initdb: 'a restart of PostgreSQL',
  ip: 'a writer that loses its network',
  mkfifo: 'outputs that are FIFOs',
  '/dev/full': 'a full standard output',
  '/dev/shm': 'a lock on two devices',
} as const

export type Tool = keyof typeof TOOLS

const REQUIRED = process.env.FEEDMILL_REQUIRE_TOOLS === '1'

/**
 * Says whether the tests that need `tool` run. They also run, and fail, where the tool is required
 * and missing.
 */
export function runsWith(tool: Tool): boolean {
  return (REQUIRED && !isDevice(tool)) || isInstalled(tool)
}

/** The tools that this machine lacks. */
export function missingTools(): Tool[] {
  return (Object.keys(TOOLS) as Tool[]).filter(tool => !isInstalled(tool))
}

function isInstalled(tool: Tool): boolean {
  if (isDevice(tool)) return existsSync(tool)
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, tool), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function isDevice(tool: Tool): boolean {
  return tool.startsWith('/dev/')
}
