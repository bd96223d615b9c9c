// Vitest calls this around a run: at its end it names the tests that were left out because a tool
// is not installed.

import { missingTools, TOOLS } from './tools'

export function setup(): () => void {
  const missing = missingTools()
  return () => {
    for (const tool of missing)
      console.warn(`LEFT OUT: ${TOOLS[tool]}, because ${tool} is not on this machine.`)
  }
}
