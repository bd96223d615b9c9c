// The figures that the simulation of a fleet starts from. Each is measured by another benchmark,
// whose name stands beside it, or is an assumption that says so.

import { readFile } from 'node:fs/promises'

export interface Input {
  readonly value: number
  readonly unit: string
  /** The command that measured the figure, and where; or what is assumed. */
  readonly source: string
}

const MEASURED = {
  parseRowsPerSecond: {
    value: 250_000,
    unit: 'rows/s of one worker process',
    source: 'npm run bench:gate, typed; 2 cores, AMD EPYC, Node 20',
  },
  databaseRowsPerSecond: {
    value: 36_000,
    unit: 'rows/s of one transaction of the database',
    source: 'npm run bench:sinks, postgres-hourly-target; 2 cores, AMD EPYC, PostgreSQL 15',
  },
  databaseLanes: {
    value: 4,
    unit: 'transactions that the database runs at full speed together',
    source: 'assumed: one for each core of a database server with four cores',
  },
  gzipBytesPerRow: {
    value: 128,
    unit: 'bytes',
    source: 'npm run demo: 2.3 MB of gzip for 17,979 items',
  },
  downloadBytesPerSecond: {
    value: 20e6,
    unit: 'bytes/s of one worker',
    source: 'assumed: 160 Mbit/s from the service',
  },
  rangeBytes: {
    value: 10e6,
    unit: 'bytes of one range request',
    source: 'fixtures/documents/item-feeds.md, section 4: the sandbox allows 10 MB',
  },
  requestsPerSecond: {
    value: 20,
    unit: 'requests/s over all workers',
    source: 'assumed; a quota of the account',
  },
  requestsPerDay: {
    value: 75_000,
    unit: 'requests a day over all workers',
    source: 'assumed; a quota of the account',
  },
  hourlyShare: {
    value: 0.025,
    unit: "share of a category's items in an hourly snapshot",
    source: 'the target of bench:sinks: 50,000 rows for two million items',
  },
  dailyShare: {
    value: 0.005,
    unit: "share of a category's items in a daily file",
    source: 'assumed',
  },
} as const satisfies Record<string, Input>

export type FleetInputs = { readonly [Name in keyof typeof MEASURED]: Input }

/**
 * Returns the figures, with those of a file in their place: `{ "databaseRowsPerSecond": { "value":
 * 52000, "source": "npm run bench:sinks, postgres" } }`.
 * @throws RangeError for a name that is none, or a value that is no positive number
 */
export async function fleetInputs(path?: string): Promise<FleetInputs> {
  const given: Record<string, Partial<Input>> = path === undefined
    ? {}
    : JSON.parse(await readFile(path, 'utf8'))
  const inputs: Record<string, Input> = { ...MEASURED }
  for (const [name, input] of Object.entries(given)) {
    const known = inputs[name]
    if (known === undefined)
      throw new RangeError(`${path}: ${name} must be of ${Object.keys(MEASURED).join(', ')}`)
    if (!(Number(input.value) > 0)) throw new RangeError(`${path}: ${name}.value must be above 0`)
    inputs[name] = { ...known, source: path!, ...input }
  }
  return inputs as FleetInputs
}
