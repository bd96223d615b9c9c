import { expect, test } from 'vitest'
import {
  type RangeFetcherOptions,
  rangeSettings,
} from '../../../../src/engine/stages/range/range-settings'

const transport = { send: () => Promise.reject(new TypeError('unused')) }
const settings = (options: Partial<RangeFetcherOptions> = {}) =>
  rangeSettings({ url: 'http://feed.test/file?token=t', transport, ...options })

test('defaults', () => {
  expect(settings()).toMatchObject({
    url: 'http://feed.test/file?token=t',
    printableUrl: 'http://feed.test/file?token=…',
    chunkBytes: 4_194_304,
    windowBytes: 16_777_216,
    maxRangeBytes: 100_000_000,
    concurrency: 4,
    retry: {
      patienceMs: 30_000,
      backoffBaseMs: 250,
      backoffCapMs: 30_000,
      retryAfterCapMs: 120_000,
    },
    idleMs: 30_000,
    sniffContentType: true,
  })
  expect(settings({ signature: null }).signature).toHaveLength(0)
})

test.each([
  [{ url: 'ftp://feed.test/' }, 'OPTION_INVALID'],
  [{ url: 'http://user:secret@feed.test/' }, 'OPTION_INVALID'],
  [{ url: 'nonsense' }, 'OPTION_INVALID'],
  [{ chunkBytes: 0 }, 'OPTION_INVALID'],
  [{ concurrency: 1.5 }, 'OPTION_INVALID'],
  [{ windowBytes: -1 }, 'OPTION_INVALID'],
  [{ maxRangeBytes: Number.POSITIVE_INFINITY }, 'OPTION_INVALID'],
  [{ retry: { patienceMs: -1 } }, 'OPTION_INVALID'],
  // A timer of Node with a longer delay fires at once.
  [{ idleMs: 2 ** 31 }, 'OPTION_INVALID'],
  [{ transport: undefined as never }, 'OPTION_INVALID'],
  [{ transport: {} as never }, 'OPTION_INVALID'],
  [{ headers: { Authorization: 'a\r\nsecret' } }, 'HTTP_HEADER_INVALID'],
])('fault 86: %o is refused at the call', (options, code) => {
  expect(() => settings(options)).toThrow(expect.objectContaining({ code }))
  expect(() => settings(options)).not.toThrow(/secret/)
})

test.each([
  [{ windowByte: 1 }, 'windowByte'],
  [{ resume: { offset: 7, identity: {}, bytes: 7 } }, 'bytes'],
  [{ resume: { offset: 7, identity: null } }, 'resume.identity'],
  [{ resume: 7 }, 'resume'],
])('fault 102: %j: %s is refused at the call', (options, option) => {
  expect(() => settings(options as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
