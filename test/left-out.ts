// Vitest calls this around a run: at its end it names the tests that were left out because a tool
// is not installed, or a server does not answer.

import { missingServices, SERVICES } from './services'
import { missingTools, TOOLS } from './tools'
import { hasZstd } from './zstd'

export async function setup(): Promise<() => void> {
  const missing = missingTools()
  const silent = await missingServices()
  return () => {
    for (const tool of missing)
      console.warn(`LEFT OUT: ${TOOLS[tool]}, because ${tool} is not on this machine.`)
    if (!hasZstd) console.warn('LEFT OUT: Zstandard, because this Node does not have it (22.15).')
    for (const service of silent) {
      const { tested, url, variable } = SERVICES[service]
      console.warn(`LEFT OUT: ${tested}, because no server answers at ${url} (${variable}).`)
    }
  }
}
