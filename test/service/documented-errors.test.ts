import { describe, expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import {
  type DocumentedError,
  documentedError,
  documentedErrors,
} from '../../src/service/documented-errors'
import { createFeedService, type FeedService } from '../../src/service/feed-service'
import { fetchTransport } from '../../src/service/http/fetch-transport'
import { OPERATIONS, type OperationName } from '../../src/service/operations'
import { defineProfile } from '../../src/service/profile'
import { type ErrorRow, errorRows } from '../service-table/error-rows'
import { FAST } from './emulated'

test('the table has every row of fixtures/documents/errors.tsv, and no other', () => {
  const textOf = ({
    source,
    operation,
    status,
    errorId,
    domain,
    category,
    condition,
  }: DocumentedError | ErrorRow) =>
    [source, operation, status, errorId, domain, category, condition.replaceAll('`', '')].join(' ')
  const written = documentedErrors.filter(({ source }) => source !== 'implied')
  expect(written.map(textOf).toSorted()).toEqual(errorRows.map(textOf).toSorted())
  expect(documentedErrors.length).toBeGreaterThan(110)
  expect(documentedErrors.every(({ operation }) => operation in OPERATIONS)).toBe(true)
})

test('files that are still being generated and failures inside the service are retryable', () => {
  const retryable = documentedErrors.filter(row => row.retryable).map(({ errorId }) => errorId)
  expect([...new Set(retryable)].toSorted()).toEqual([13006, 13007, 195000, 210000])
})

test('a code that the catalog states for a download is the same for its other operations', () => {
  const implied = documentedErrors.filter(({ source }) => source === 'implied')
  expect(implied.length).toBe(9)
  for (const { status, errorId, category, domain, condition, retryable } of implied) {
    expect(documentedError('downloadFile', status, errorId)).toMatchObject({
      category,
      domain,
      condition,
      retryable,
    })
  }
})

test('a row is found by operation, status and code', () => {
  expect(documentedError('getItemPriorityFeed', 404, 13007)).toMatchObject({
    retryable: true,
    domain: 'API_FEED',
  })
  expect(documentedError('downloadFile', 404, 14004)).toMatchObject({ retryable: false })
  expect(documentedError('getItemFeed', 404, 13007)).toBeUndefined()
})

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const SUBSCRIPTION = {
  topicId: 't',
  status: 'ENABLED' as const,
  destinationId: 'd',
  payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0' },
}

const CALLS: Record<OperationName, (service: FeedService) => Promise<unknown>> = {
  getAccess: ({ catalog }) => catalog.getAccess(),
  getFeedTypes: ({ catalog }) => catalog.getFeedTypes().toArray(),
  getFeedType: ({ catalog }) => catalog.getFeedType({ feedTypeId: 'T' }),
  getFiles: ({ catalog }) => catalog.getFiles({ marketplace: 'MKT_US' }).toArray(),
  getFile: ({ catalog }) => catalog.getFile({ marketplace: 'MKT_US', fileId: 'f' }),
  downloadFile: ({ catalog }) =>
    catalog.downloadFile({ marketplace: 'MKT_US', fileId: 'f' }).rows().toArray(),
  getItemFeed: ({ feeds }) =>
    feeds
      .getItemFeed({ ...CATEGORY, scope: 'ALL_ACTIVE' })
      .rows()
      .toArray(),
  getItemGroupFeed: ({ feeds }) =>
    feeds
      .getItemGroupFeed({ ...CATEGORY, scope: 'ALL_ACTIVE' })
      .bytes()
      .toArray(),
  getItemSnapshotFeed: ({ feeds }) =>
    feeds.getItemSnapshotFeed({ ...CATEGORY, snapshotDate: '2026-03-01T05:00:00.000Z' }).info(),
  getItemPriorityFeed: ({ feeds }) =>
    feeds
      .getItemPriorityFeed({ ...CATEGORY, date: '20260301' })
      .compressed()
      .toArray(),
  getSigningKey: ({ keys }) => keys.getSigningKey({ signingKeyId: 'k' }),
  createSubscription: ({ notifications }) => notifications.createSubscription(SUBSCRIPTION),
}

async function failureOf(
  operation: OperationName,
  status: number,
  body: unknown,
): Promise<{ error: FeedError; requests: number }> {
  let requests = 0
  const transport = fetchTransport(request => {
    if (request.url.endsWith('/token'))
      return Response.json({ access_token: 'tok-4711', token_type: 'Bearer' })
    requests++
    return Response.json(body, { status })
  })
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
  })
  const ranges = { ...FAST.ranges, retry: { patienceMs: 2 } }
  const service = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport, checks: 'forms', ...FAST, retry: { ...FAST.retry, patienceMs: 2 }, ranges },
  )
  const error: unknown = await CALLS[operation](service).catch(thrown => thrown)
  if (!FeedError.is(error)) throw new Error(`no FeedError: ${String(error)}`)
  return { error, requests }
}

describe('one error for each operation, status and code', () => {
  const described = ({ errorId, category, domain }: (typeof documentedErrors)[number]) => ({
    errorId,
    category,
    domain,
    subdomain: 'x',
    message: 'how to mend it',
    longMessage: 'in more words',
    inputRefIds: ['a'],
    outputRefIds: [],
    parameters: [{ name: 'limit', value: '5' }],
  })

  test.each(documentedErrors.map(row => [row.operation, row.status, row.errorId, row] as const))(
    '%s %i %i',
    async (operation, status, errorId, row) => {
      for (const body of [described(row), { errors: [described(row), { errorId: 1 }] }]) {
        const { error, requests } = await failureOf(operation, status, body)
        expect(error).toMatchObject({
          code: 'HTTP_STATUS',
          retryable: row.retryable,
          context: {
            operation,
            status,
            errorId,
            category: row.category,
            domain: row.domain,
            message: 'how to mend it',
            longMessage: 'in more words',
            parameters: [{ name: 'limit', value: '5' }],
          },
        })
        const once = status === 401 ? 2 : 1
        expect(requests).toBe(row.retryable && operation !== 'createSubscription' ? 3 : once)
      }
    },
  )

  test.each(Object.keys(OPERATIONS) as OperationName[])(
    '%s: codes that no document has are kept, and so are statuses without a code',
    async operation => {
      expect(
        (await failureOf(operation, 418, { errorId: 99_999, category: 'NEW' })).error,
      ).toMatchObject({
        code: 'HTTP_STATUS',
        retryable: false,
        context: { operation, status: 418, errorId: 99_999, category: 'NEW' },
      })
      const { error } = await failureOf(operation, 403, { error: 'insufficient_scope' })
      expect(error.context).toEqual({
        url: expect.any(String),
        operation,
        status: 403,
        ...('byteOffset' in error.context ? { byteOffset: 0 } : {}),
      })
    },
  )
})
