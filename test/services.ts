// Servers that some tests need, by their addresses. On a machine where one does not answer, the
// tests that need it are left out, and the run says so at its end. FEEDMILL_REQUIRE_SERVICES=1 turns
// leaving out into failing.

import { connect } from 'node:net'

/** Every service that a test may ask for, its address, and what is tested with it. */
export const SERVICES = {
  postgres: {
    url: process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test',
    tests: 'rows in PostgreSQL',
  },
} as const

export type Service = keyof typeof SERVICES

const WAIT_MS = 2_000

/**
 * Says whether the tests that need `service` run. They also run, and fail, where the service is
 * required and does not answer.
 */
export async function runsWithService(service: Service): Promise<boolean> {
  return process.env.FEEDMILL_REQUIRE_SERVICES === '1' || (await answers(service))
}

/** The services that do not answer. */
export async function missingServices(): Promise<Service[]> {
  const missing: Service[] = []
  for (const service of Object.keys(SERVICES) as Service[])
    if (!(await answers(service))) missing.push(service)
  return missing
}

function answers(service: Service): Promise<boolean> {
  const { hostname, port } = new URL(SERVICES[service].url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname || '127.0.0.1', port: Number(port || 5432) })
    const settle = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(WAIT_MS, () => settle(false))
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}
