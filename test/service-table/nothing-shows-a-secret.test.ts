// Nothing that the clients throw, return, log or show contains a token, a client secret or an
// Authorization header, in any usual encoding. The clients run over sockets, with every fault of
// the emulator. test/service/feed-service.test.ts tests a hostile service that repeats secrets.

import { format, inspect } from 'node:util'
import { Minipass } from 'minipass'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FAULT_KINDS } from '../../src/emulator/faults/fault'
import { Secrets } from '../../src/engine/codec/secrets'
import { FeedError } from '../../src/engine/errors'
import { createFeedService, type FeedService } from '../../src/service/feed-service'
import type { HttpTransport } from '../../src/service/http/http-transport'
import { NodeTransport } from '../../src/service/http/node-transport'
import { authorizedTransport } from '../../src/service/tokens/authorized-transport'
import { credentialTokens } from '../../src/service/tokens/client-credentials'
import { Recorded } from '../engine/diagnostics/recorded'
import { FAST } from '../service/emulated'
import { requestSettingsOf } from '../service/http/request-settings-of'
import { type Asked, goodRequest, someFileId } from './calls'
import { DOCUMENTED, openStand, type Stand, Stands } from './shops'

const CLIENT_SECRET = 'S3cret/of+the "client"=4711'
const CLIENT_ID = 'shop & client'
const USER_TOKEN = 'user-token-4713-QWERTZUIOP'

const stands = new Stands()
afterAll(() => stands.close())

/** The texts that were written and logged during a test. */
const written: string[] = []
/** The messages of the diagnostics channels. */
let told: Recorded
/** The stages that have worked. */
let stages: () => readonly unknown[] = () => []

beforeEach(() => {
  written.length = 0
  told = new Recorded()
  const { mock } = vi.spyOn(Minipass.prototype, 'emit')
  stages = () => mock.contexts
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation(
      chunk => written.push(Buffer.from(chunk as string).toString('utf8')) > 0,
    )
  }
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const) {
    vi.spyOn(console, method).mockImplementation(
      (...args: unknown[]) => void written.push(format(...args)),
    )
  }
})
afterEach(() => {
  told.stop()
  vi.restoreAllMocks()
})

/** The secrets of a run, and the transport that records them. */
class Wire implements HttpTransport {
  readonly secrets = new Set([CLIENT_SECRET, USER_TOKEN])
  readonly #inner: HttpTransport
  readonly #headers: Readonly<Record<string, string>>

  constructor(inner: HttpTransport, headers: Readonly<Record<string, string>> = {}) {
    this.#inner = inner
    this.#headers = headers
  }

  send: HttpTransport['send'] = request => {
    const authorization = request.headers.Authorization ?? request.headers.authorization
    if (authorization !== undefined) this.secrets.add(authorization.replace(/^\w+ /, ''))
    return this.#inner.send({ ...request, headers: { ...request.headers, ...this.#headers } })
  }
}

/**
 * All encodings of a secret, and the first half of each, for texts that were cut inside it.
 */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const forms = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ v: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
  const asBytes = bytes.toString('hex').match(/../g)!.slice(0, 16)
  return [
    ...forms.map(form => form.slice(0, Math.max(12, form.length / 2))),
    asBytes.join(' '),
    [...bytes.subarray(0, 16)].join(', '),
  ]
}

/** The texts in which a value can be shown. */
function textsOf(value: unknown): string[] {
  const texts = [shown(value), format('%s %o', value, value), asJson(value)]
  if (!(value instanceof Error)) return texts
  const inside = [value.cause, ...((value as Partial<AggregateError>).errors ?? [])].filter(
    error => error !== undefined,
  )
  return [...texts, String(value), value.stack ?? '', ...inside.flatMap(textsOf)]
}

function shown(value: unknown): string {
  return inspect(value, {
    depth: Infinity,
    showHidden: true,
    showProxy: true,
    getters: true,
    maxStringLength: null,
    breakLength: 200,
  })
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '' // Circular, or a BigInt: nobody sees it this way.
  }
}

/** Returns the secrets that are shown, and their places. */
function shownIn(values: Iterable<unknown>, secrets: Iterable<string>): string[] {
  const forms = [...secrets].flatMap(formsOf)
  return [...values].flatMap(textsOf).flatMap(lines => {
    const text = lines.replace(/\s+/g, ' ') // Lists of bytes come in columns.
    const form = forms.find(known => text.includes(known))
    return form === undefined ? [] : [`${form} in ${text.slice(0, 300)}`]
  })
}

function serviceAt({ profile }: Stand, transport: HttpTransport, limitMs = 20_000): FeedService {
  const limits = {
    ...FAST,
    retry: { ...FAST.retry, patienceMs: 0 },
    headersTimeoutMs: limitMs,
    bodyTimeoutMs: limitMs,
  }
  const ranges = { ...FAST.ranges, retry: { patienceMs: 1 }, idleMs: limitMs, chunkBytes: 2_000 }
  const credentials = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
  return createFeedService(profile, credentials, { transport, checks: 'forms', ...limits, ranges })
}

/**
 * Returns the values that the service has, gives and throws when its operations are used, and its
 * objects during their work.
 */
async function everythingOf(
  service: FeedService,
  asked: Asked,
  seen: Set<unknown>,
): Promise<FeedError[]> {
  const { catalog, feeds, keys, notifications } = service
  const options = {
    progressMs: 1,
    onProgress: (progress: unknown) => seen.add(progress),
    onSettled: (...all: unknown[]) => seen.add(all),
  }
  const download = feeds.getItemFeed({
    marketplace: asked.marketplace!,
    categoryId: asked.categoryId!,
    scope: 'ALL_ACTIVE',
  })
  const file = catalog.downloadFile({ marketplace: asked.marketplace!, fileId: asked.fileId })
  const pipeline = download.rows(options)
  const types = catalog.getFeedTypes()
  const list = catalog.getFiles({ marketplace: asked.marketplace! })
  for (const value of [
    service,
    service.profile,
    catalog,
    feeds,
    keys,
    notifications,
    download,
    file,
    pipeline,
    types,
    list,
  ])
    seen.add(value)
  const batches = download.batches(options)
  const inTheMiddle = async () => {
    seen.add((await batches.next()).value)
    for (const value of [service, batches, new Set(stages())]) seen.add(shown(value))
    await batches.return?.()
  }
  const user = () => USER_TOKEN
  const outcomes = await Promise.allSettled([
    inTheMiddle(),
    pipeline.toArray().then(rows => rows.slice(0, 2)),
    file.bytes(options).toArray(),
    file.compressed().toArray(),
    download.info(),
    catalog.getAccess(),
    types.page(),
    list.page(),
    list.toArray(),
    catalog.getFeedType({ feedTypeId: asked.feedTypeId }),
    catalog.getFile({ marketplace: asked.marketplace!, fileId: asked.fileId }),
    keys.getSigningKey({ signingKeyId: asked.signingKeyId }),
    notifications.createSubscription(asked.subscription),
    notifications.createSubscription(asked.subscription, { user }),
  ])
  const results = outcomes.map(outcome =>
    outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as unknown),
  )
  for (const value of [...results, service, pipeline]) seen.add(value)
  const errors = outcomes.flatMap(outcome =>
    outcome.status === 'rejected' ? [outcome.reason as FeedError] : [],
  )
  expect(errors.filter(error => !FeedError.is(error))).toEqual([])
  return errors
}

const PARAMETERS: Readonly<Record<string, string>> = {
  latency: ';ms=1',
  short: ';after=100',
  503: ';retry-after=0',
}

const faults = [
  'none',
  'error;code=13006',
  ...FAULT_KINDS.map(kind => kind + (PARAMETERS[kind] ?? '')),
]
/** Faults after which the client waits for bytes that never come. */
const LIMITED = /^(stall|short)/

test.each(faults)(
  'fault 85: no secret is shown by any object, error or line of output, fault %s',
  async fault => {
    const stand = await openStand(DOCUMENTED, { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
    const wire = new Wire(stands.transport, fault === 'none' ? {} : { 'x-feedmill-fault': fault })
    // Tokens are granted in spite of the fault, so that there are secrets to look for.
    const plain = new Wire(stands.transport)
    const transport: HttpTransport = {
      send: request => (isForToken(request) ? plain : wire).send(request),
    }
    const service = serviceAt(stand, transport, LIMITED.test(fault) ? 400 : 20_000)
    try {
      const seen = new Set<unknown>()
      const errors = await everythingOf(service, goodRequest(stand, await fileIdOf(stand)), seen)
      for (const stage of stages()) seen.add(stage)
      await service.close()
      seen.add(service)

      const secrets = [...wire.secrets, ...plain.secrets]
      expect(secrets.length).toBeGreaterThanOrEqual(4)
      expect([...seen].filter(value => value instanceof Minipass).length).toBeGreaterThan(7)
      if (fault === 'none')
        expect(errors.map(({ context }) => context)).toEqual([
          expect.objectContaining({ status: 401 }),
        ])
      expect(shownIn([...seen, ...written, ...told.all], secrets)).toEqual([])
    } finally {
      await stand.emulator.close()
    }
  },
)

test.each(['401', '500', 'html', 'reset', '503;retry-after=0'])(
  'fault 85: no secret is shown where no token is granted, fault %s',
  async fault => {
    const stand = await stands.with(DOCUMENTED, {
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
    })
    const wire = new Wire(stands.transport, { 'x-feedmill-fault': fault })
    const seen = new Set<unknown>()
    const errors = await everythingOf(serviceAt(stand, wire), goodRequest(stand, 'f'), seen)
    expect(errors.length).toBeGreaterThan(10)
    expect(shownIn([...seen, ...written, ...told.all], wire.secrets)).toEqual([])
  },
)

test('fault 85: no secret is shown where the client is refused, or no server listens', async () => {
  const stand = await openStand(DOCUMENTED)
  const wire = new Wire(stands.transport)
  const seen = new Set<unknown>()
  const asked = goodRequest(stand, 'f')
  const refused = await everythingOf(serviceAt(stand, wire), asked, seen)
  expect(new Set(refused.map(({ code }) => code))).toEqual(
    new Set(['TOKEN_REFUSED', 'HTTP_STATUS']),
  )
  await stand.emulator.close()
  const unheard = await everythingOf(serviceAt(stand, wire), asked, seen)
  expect(new Set(unheard.map(({ code }) => code))).toEqual(
    new Set(['HTTP_TRANSPORT', 'RANGE_RETRIES_EXHAUSTED']),
  )
  expect(shownIn([...seen, ...written, ...told.all], wire.secrets)).toEqual([])
})

test('fault 85: no secret is shown by the objects that hold them', async () => {
  const stand = await stands.with(DOCUMENTED, { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
  const wire = new Wire(stands.transport)
  const { tokenUrl, scopeBase, baseUrl, paths } = stand.profile
  const secrets = new Secrets()
  const settings = requestSettingsOf({})
  const credentials = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
  const tokens = credentialTokens({
    tokenUrl,
    credentials,
    transport: wire,
    secrets,
    settings,
    closed: new AbortController().signal,
  })
  const scope = `${scopeBase}/buy.item.feed`
  const authorized = authorizedTransport({
    operation: 'getKey',
    transport: wire,
    tokens,
    scope,
    secrets,
    settings,
  })
  const { signal } = new AbortController()
  const response = await authorized.send({ url: baseUrl + paths.getAccess, headers: {}, signal })
  expect(response.status).toBe(200)
  response.discard()
  expect(wire.secrets.size).toBe(4)
  expect(
    shownIn(
      [tokens, authorized, secrets, response, stands.transport, new NodeTransport()],
      wire.secrets,
    ),
  ).toEqual([])
})

test('the search finds a planted secret', () => {
  const secret = [CLIENT_SECRET]
  const buried = new Error('x', {
    cause: new AggregateError([{ request: { headers: new Headers({ a: CLIENT_SECRET }) } }]),
  })
  const hidden = Object.defineProperty({}, 'token', { enumerable: false, value: CLIENT_SECRET })
  const places = [
    buried,
    hidden,
    `?s=${encodeURIComponent(CLIENT_SECRET)}`,
    Buffer.from(CLIENT_SECRET).toString('base64'),
  ]
  for (const value of [
    ...places,
    Buffer.from(CLIENT_SECRET),
    new Uint8Array(Buffer.from(CLIENT_SECRET)),
    CLIENT_SECRET.slice(0, 20),
  ]) {
    expect(shownIn([value], secret).length).toBeGreaterThan(0)
  }
  process.stdout.write(CLIENT_SECRET)
  console.warn('%s', CLIENT_SECRET)
  expect(written).toEqual([CLIENT_SECRET, CLIENT_SECRET])
  expect(shownIn(['nothing', {}], secret)).toEqual([])
})

function isForToken({ body }: { readonly body?: string }): boolean {
  return body?.includes('grant_type=') ?? false
}

let known: Promise<string> | undefined

function fileIdOf(stand: Stand): Promise<string> {
  known ??= someFileId(stand, stands.transport)
  return known
}
