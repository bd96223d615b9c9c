// Every public entry point, called wrongly: nothing but a FeedError may come out, and where an
// option is wrong it has the option's name.

import { inspect } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import * as arrows from '../src/arrow'
import * as benches from '../src/bench'
import * as duckdbs from '../src/duckdb'
import * as emulated from '../src/emulator'
import { FeedError } from '../src/engine/errors'
import * as engines from '../src/engines'
import * as feedmill from '../src/index'
import * as inspections from '../src/inspect'
import * as telemetry from '../src/opentelemetry'
import * as parquets from '../src/parquet'
import * as postgres from '../src/postgres'
import * as queues from '../src/queue'
import * as buckets from '../src/s3'
import * as services from '../src/service'
import * as syncs from '../src/sync'

type Callable = (...args: unknown[]) => unknown

const ENTRIES = {
  feedmill,
  'feedmill/engines': engines,
  'feedmill/bench': benches,
  'feedmill/inspect': inspections,
  'feedmill/service': services,
  'feedmill/emulator': emulated,
  'feedmill/sync': syncs,
  'feedmill/queue': queues,
  'feedmill/duckdb': duckdbs,
  'feedmill/opentelemetry': telemetry,
  'feedmill/arrow': arrows,
  'feedmill/parquet': parquets,
  'feedmill/postgres': postgres,
  'feedmill/s3': buckets,
}

class Unrelated {}

/** What a caller without types may give in place of any argument. */
const ABSURD: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  -1,
  7,
  10n,
  '',
  'text',
  true,
  Symbol('absurd'),
  [],
  [7],
  [null],
  {},
  Object.create(null),
  { notAnOption: 1 },
  () => 7,
  Unrelated,
  new Unrelated(),
  new Date(Number.NaN),
  new Uint16Array(4),
  new Map(),
]

const argumentLists: readonly (readonly unknown[])[] = [
  [],
  ...ABSURD.map(value => [value]),
  ...ABSURD.map(value => [value, value]),
  ...ABSURD.map(value => ['text', value]),
  ...ABSURD.map(value => [{}, value]),
]

const toClose: { close?: () => unknown; destroy?: () => unknown }[] = []
afterAll(async () => {
  for (const made of toClose) await made.close?.()
})

/** Frees what a call has made, whatever it is. */
function dispose(made: unknown): void {
  if (typeof made !== 'object' || made === null) return
  const { close, destroy } = made as { close?: unknown; destroy?: unknown }
  if (typeof destroy === 'function') {
    ;(made as { on?: (event: string, heard: () => void) => void }).on?.('error', () => {})
    destroy.call(made)
  } else if (typeof close === 'function') toClose.push(made as { close: () => unknown })
}

/** Some methods answer with one, and do their work when it is read. */
function isGenerator(result: unknown): result is Generator {
  return Object.prototype.toString.call(result) === '[object Generator]'
}

/** What a call threw, or its promise failed with, that is no FeedError. */
async function rawFailure(call: () => unknown): Promise<unknown> {
  try {
    const result = await call()
    if (isGenerator(result)) for (const _ of result);
    dispose(result)
    return undefined
  } catch (error) {
    return FeedError.is(error) ? undefined : (error ?? 'a failure without a value')
  }
}

async function rawFailures(name: string, call: Callable): Promise<string[]> {
  const failures: string[] = []
  for (const args of argumentLists) {
    const failure = await rawFailure(() => call(...args))
    if (failure !== undefined)
      failures.push(
        `${name}(${args.map(arg => inspect(arg, { depth: 0 })).join(', ')}): ${String(failure)}`,
      )
  }
  return failures
}

/**
 * Classes that are exported for their types, or to be thrown: a function makes them, or a stage
 * throws them.
 */
const NOT_CALLED = new Set(['FeedError', 'Pipeline'])

const isClass = (value: Callable) => /^class\b/.test(Function.prototype.toString.call(value))

describe.each(Object.entries(ENTRIES))(
  'fault 102: absurd arguments to what %s exports',
  (_, entry) => {
    const callables = Object.entries(entry).filter(
      ([name, value]) => typeof value === 'function' && !NOT_CALLED.has(name),
    ) as [string, Callable][]

    test.each(callables)('%s', async (name, callable) => {
      const call: Callable = isClass(callable)
        ? (...args) => new (callable as never as new (...args: unknown[]) => unknown)(...args)
        : callable
      expect(await rawFailures(name, call)).toEqual([])
      for (const method of Object.getOwnPropertyNames(callable)) {
        const value = (callable as unknown as Record<string, unknown>)[method]
        if (typeof value === 'function' && isClass(callable))
          expect(await rawFailures(`${name}.${method}`, value.bind(callable))).toEqual([])
      }
    })
  },
)

const profile = services.defineProfile({
  baseUrl: 'http://127.0.0.1:9',
  tokenUrl: 'http://127.0.0.1:9/token',
  scopeBase: 'scope',
})
const refusing: feedmill.RangeTransport = {
  send: request =>
    Promise.reject(new FeedError('HTTP_STATUS', 'refused', { url: request.url, status: 400 })),
}

/** What is made rightly, and has methods that can be called wrongly. */
const MADE: Record<string, () => object> = {
  NodeTransport: () => new feedmill.NodeTransport(),
  pipeline: () => feedmill.pipeline([]),
  'items of a feed': () =>
    clients().feeds.getItemFeed({ marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' }),
  feeds: () => clients().feeds,
  catalog: () => clients().catalog,
  keys: () => clients().keys,
  notifications: () => clients().notifications,
  SnapshotMerger: () => new feedmill.SnapshotMerger(),
  GroupJoiner: () => new feedmill.GroupJoiner({ groups: [] }),
  Gunzip: () => new feedmill.Gunzip(),
  Decompress: () => new feedmill.Decompress(),
  TsvRowParser: () => new feedmill.TsvRowParser(),
  TsvObjectParser: () => new feedmill.TsvObjectParser({ schema: feedmill.itemSchema }),
  TsvColumnParser: () => new feedmill.TsvColumnParser({ schema: feedmill.itemSchema }),
  'an inflater': () => engines.createInflater(),
  'a row parser': () => engines.createRowParser(),
  'a column parser': () => engines.createColumnParser({ schema: feedmill.itemSchema }),
  ColumnDecoder: () => new feedmill.ColumnDecoder(),
  ChunkReassembler: () => new feedmill.ChunkReassembler(),
  FileSource: () => new feedmill.FileSource('/a folder that is not there/file'),
  RangeFetcher: () =>
    new feedmill.RangeFetcher({
      url: 'http://127.0.0.1:9/file',
      transport: refusing,
      retry: { patienceMs: 0 },
    }),
}

function clients(): services.FeedService {
  return services.createFeedService(profile, () => 'token', {
    transport: refusing,
    retry: { patienceMs: 0 },
  })
}

/**
 * Methods that Minipass and EventEmitter give a stream: their arguments are Node's affair, not this
 * package's.
 */
const NOT_PUBLIC = new Set([
  'end',
  'transform',
  'outputsOf',
  'flush',
  'release',
  'machineFor',
  'lendOutputs',
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'removeAllListeners',
  'emit',
  'pipe',
  'unpipe',
  'listeners',
])

function methodsOf(made: object): string[] {
  const names = new Set(Object.keys(made))
  for (
    let proto = Object.getPrototypeOf(made);
    proto !== null && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    if (/Minipass|EventEmitter/.test(proto.constructor?.name ?? '')) break
    for (const name of Object.getOwnPropertyNames(proto))
      if (!Object.getOwnPropertyDescriptor(proto, name)?.get) names.add(name)
  }
  return [...names].filter(
    name =>
      name !== 'constructor' &&
      !NOT_PUBLIC.has(name) &&
      typeof (made as Record<string, unknown>)[name] === 'function',
  )
}

describe('fault 102: absurd arguments to the methods of', () => {
  test.each(Object.entries(MADE))('%s', async (name, make) => {
    for (const method of methodsOf(make())) {
      const call: Callable = (...args) => {
        const made = make() as Record<string, Callable> & {
          on?: (event: string, heard: (error: unknown) => void) => void
        }
        // A stage tells what is wrong with an input by its error event.
        const told: unknown[] = []
        made.on?.('error' as never, ((error: unknown) => told.push(error)) as never)
        // A second argument of `write` is Minipass's own: an encoding or a callback.
        const result = made[method]!(...(method === 'write' ? args.slice(0, 1) : args))
        for (const error of told) if (!FeedError.is(error)) throw error
        return result
      }
      expect(await rawFailures(`${name}.${method}`, call)).toEqual([])
    }
  })
})
