// Vitest calls this around a run: at its end it names the tests that were left out because a tool
// is not installed or a service does not answer.

import { missingServices, SERVICES } from './services'
import { missingTools, TOOLS } from './tools'

export async function setup(): Promise<() => void> {
  const missing = missingTools()
  const services = await missingServices()
  return () => {
    for (const tool of missing)
      console.warn(`LEFT OUT: ${TOOLS[tool]}, because ${tool} is not on this machine.`)
    for (const service of services) {
      const { tests, url } = SERVICES[service]
      console.warn(`LEFT OUT: ${tests}, because ${service} does not answer at ${url}.`)
    }
  }
}
