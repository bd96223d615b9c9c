// Provokes every error of fixtures/documents/errors.tsv over a socket: by the clients, and by the
// same request in plain HTTP, whose response is compared with the description of the service. The
// tests run for the documented service and for one that differs in every setting of a profile.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import type { HttpRequest, HttpTransport } from '../../src/service/http/http-transport'
import { OPERATIONS, type OperationName } from '../../src/service/operations'
import { defineProfile } from '../../src/service/profile'
import { type Asked, CALLS, goodRequest, someFileId } from './calls'
import { type ErrorRow, errorRows } from './error-rows'
import { type Provocation, provocationsFor, type Spoilt } from './provocations'
import { ANOTHER, clientsOf, DOCUMENTED, openStand, type Shop, type Stand, Stands } from './shops'

const stands = new Stands()
afterAll(() => stands.close())

/** Errors of failures that may pass: internal problems, and 13007 for a file in generation. */
const mayPass = ({ category, errorId }: ErrorRow) => category === 'APPLICATION' || errorId === 13007

const answers = (row: ErrorRow) => (provocation: Provocation) => {
  const { operations, errorId, status = row.status } = provocation
  return operations.includes(row.operation) && errorId === row.errorId && status === row.status
}

describe.each([
  ['the documented service', DOCUMENTED],
  ['another service of its family', ANOTHER],
] as const)('%s', (_, shop) => {
  const provocations = provocationsFor(
    defineProfile({
      ...shop.shared,
      baseUrl: 'http://localhost',
      tokenUrl: 'http://localhost/token',
    }),
  )
  const cases = errorRows.flatMap(row =>
    provocations
      .filter(answers(row))
      .map(
        provocation =>
          [row.operation, row.status, row.errorId, provocation.how, row, provocation] as const,
      ),
  )
  let fileId: string

  beforeAll(async () => {
    fileId = await someFileId(await stands.with(shop), stands.transport)
  })

  test('every documented row has a provocation, and every provocation a row for each of its operations', () => {
    expect(errorRows.filter(row => !provocations.some(answers(row)))).toEqual([])
    const without = provocations.flatMap(provocation =>
      provocation.operations
        .filter(
          operation =>
            errorRows.filter(row => row.operation === operation && answers(row)(provocation))
              .length !== 1,
        )
        .map(operation => `${operation} ${provocation.errorId} ${provocation.how}`),
    )
    expect(without).toEqual([])
    expect(cases.length).toBeGreaterThan(errorRows.length)
  })

  test.each(Object.keys(OPERATIONS) as OperationName[])(
    'the good request that is changed below succeeds: %s',
    async operation => {
      const stand = await openStand(shop)
      try {
        const sent = sending({})
        await CALLS[operation](clientsOf(stand, sent.transport), goodRequest(stand, fileId))
        const { status, problem } = await sentAgain(stand, sent.last())
        // An existing subscription cannot be created again.
        expect([problem, status]).toEqual([
          undefined,
          operation === 'createSubscription' ? 409 : 200,
        ])
      } finally {
        await stand.emulator.close()
      }
    },
  )

  test.each(cases)('%s %i %i: %s', async (operation, status, errorId, _, row, provocation) => {
    const { category, domain } = row
    const { emulator: options, spoil = {}, scopes } = provocation
    const stand = await stands.with(shop, options)
    const sent = sending(spoil)
    const service = clientsOf(stand, sent.transport, scopes)
    const asked = askedBy(provocation, stand, fileId)
    if (provocation.twice) await CALLS[operation](service, asked)

    const error: unknown = await CALLS[operation](service, asked).catch(thrown => thrown)
    expect(FeedError.is(error) ? error : String(error)).toMatchObject({
      code: 'HTTP_STATUS',
      retryable: mayPass(row),
      context: { operation, status, errorId, category, domain },
    })

    const answer = await sentAgain(stand, sent.last())
    expect([answer.problem, answer.status]).toEqual([undefined, status])
    const body = errorIn(answer.body, shop, domain)
    expect(body).toEqual({
      category,
      domain,
      errorId,
      subdomain: expect.any(String),
      // Every placeholder is filled with text.
      message: expect.stringMatching(/^[^{}]+\.$/),
      longMessage: body.message,
      inputRefIds: expect.any(Array),
      outputRefIds: [],
      parameters: expect.any(Array),
    })
    const elements = requestElements(stand, operation)
    expect(body.inputRefIds.filter(name => !elements.includes(name))).toEqual([])
    expect(body.parameters.filter(({ value }) => value === '')).toEqual([])
  })
})

const FEEDS = [
  'getItemFeed',
  'getItemGroupFeed',
  'getItemSnapshotFeed',
  'getItemPriorityFeed',
] as const

// All four feeds can answer with these statuses, without a code where the table has none
// (item-feeds.md, section 5). A 416 without a code and a total is a refused range.
test.each(FEEDS.flatMap(operation => [404, 409, 416].map(status => [operation, status] as const)))(
  '%s %i without a code',
  async (operation, status) => {
    const stand = await stands.with(DOCUMENTED)
    const { transport } = sending({ headers: { 'x-feedmill-fault': String(status) } })
    const error: unknown = await CALLS[operation](
      clientsOf(stand, transport),
      goodRequest(stand, ''),
    ).catch(thrown => thrown)
    const expected =
      status === 416
        ? { code: 'RANGE_UNSATISFIABLE' }
        : { code: 'HTTP_STATUS', context: { operation } }
    expect(error).toMatchObject(expected)
    expect(error).toMatchObject({ retryable: false, context: { status, domain: 'API_FEED' } })
    expect(error).not.toHaveProperty('context.errorId')
  },
)

function askedBy({ ask = {} }: Provocation, stand: Stand, fileId: string): Asked {
  const good = goodRequest(stand, fileId)
  return { ...good, ...(typeof ask === 'function' ? ask(good, stand) : ask) }
}

interface Sending {
  readonly transport: HttpTransport
  /** The latest request as it was sent, except requests for tokens. */
  last(): HttpRequest
}

/** A transport that changes requests before they are sent. */
function sending(spoil: Spoilt): Sending {
  let last: HttpRequest | undefined
  const send = (request: HttpRequest) => {
    if (request.body?.includes('grant_type=')) return stands.transport.send(request)
    last = spoilt(request, spoil)
    return stands.transport.send(last)
  }
  return { transport: { send }, last: () => last! }
}

function spoilt(request: HttpRequest, { headers = {}, query = {} }: Spoilt): HttpRequest {
  const url = new URL(request.url)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
  const sent = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
  const all: Record<string, string | null> = { ...Object.fromEntries(sent), ...headers }
  const present = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  return { ...request, url: url.href, headers: Object.fromEntries(present) }
}

/**
 * Sends the same request without the clients. `problem` is the difference between the response and
 * the description of the service.
 */
async function sentAgain(stand: Stand, { url, method = 'GET', headers, body }: HttpRequest) {
  const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) })
  const response = await fetch(request)
  const problem = await stand.check(request, response)
  return { status: response.status, problem, body: await response.text() }
}

interface ErrorBody {
  readonly message: string
  readonly inputRefIds: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
}

/** The parts of a request of the operation, by the names in the description. */
function requestElements({ document }: Stand, operation: OperationName): readonly string[] {
  const { parameters = [], requestBody } = document.operation(operation)
  const fields =
    requestBody === undefined
      ? []
      : [...document.fields('SubscriptionRequest'), ...document.fields('SubscriptionPayload')]
  return ['Authorization', ...parameters.map(({ name }) => name), ...fields]
}

/**
 * The documented Error: alone for the catalog and the feeds, in a list for keys and notifications.
 */
function errorIn(text: string, { wrapErrors }: Shop, domain: string): ErrorBody {
  const body = JSON.parse(text) as ErrorBody & { readonly errors?: readonly ErrorBody[] }
  if (domain === 'API_FEED' && !wrapErrors) return body
  expect([Object.keys(body), body.errors?.length]).toEqual([['errors'], 1])
  return body.errors![0]!
}
