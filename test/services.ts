// Servers that some tests need. On a machine where one does not answer, the tests that need it are
// left out, and the run says so at its end. FEEDMILL_REQUIRE_SERVICES=1 turns leaving out into
// failing.

import { connect } from 'node:net'

/** Every server that a test may ask for, its address, and what is tested with it. */
export const SERVICES = {
  postgres: {
    variable: 'FEEDMILL_TEST_POSTGRES',
    url: process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test',
    tested: 'rows in PostgreSQL',
  },
  redis: {
    variable: 'FEEDMILL_TEST_REDIS',
    url: process.env.FEEDMILL_TEST_REDIS ?? 'redis://127.0.0.1:6379',
    tested: 'queues in Redis',
  },
  s3: {
    variable: 'FEEDMILL_TEST_S3',
    url: process.env.FEEDMILL_TEST_S3 ?? 'http://feedkey:feedsecret@127.0.0.1:9440',
    tested: 'objects of buckets',
  },
} as const

export type Service = keyof typeof SERVICES

const REQUIRED = process.env.FEEDMILL_REQUIRE_SERVICES === '1'

/** Says whether the tests that need a server run. They also run, and fail, where it is required. */
export async function runsWithService(service: Service): Promise<boolean> {
  return REQUIRED || (await answers(service))
}

/** The servers that do not answer. */
export async function missingServices(): Promise<Service[]> {
  const all = Object.keys(SERVICES) as Service[]
  const answering = await Promise.all(all.map(answers))
  return all.filter((_, n) => !answering[n])
}

function answers(service: Service): Promise<boolean> {
  const { hostname, port } = new URL(SERVICES[service].url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(2_000, () => settle(false))
    socket.on('connect', () => settle(true))
    socket.on('error', () => settle(false))
  })
}
