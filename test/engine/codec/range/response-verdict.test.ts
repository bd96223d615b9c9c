import { describe, expect, test } from 'vitest'
import {
  bodyIsText,
  judgeResponse,
  type ResponseFacts,
  type Verdict,
  type VerdictQuestion,
} from '../../../../src/engine/codec/range/response-verdict'

const url = 'http://feed.test/file'
const asked = { start: 20, end: 40 }
const question: VerdictQuestion = {
  url,
  asked,
  pinned: { totalBytes: 100 },
  sniffContentType: true,
  nowMs: 0,
}

function facts(status: number, headers: Record<string, string> = {}, text?: string): ResponseFacts {
  return { status, header: name => headers[name], ...(text === undefined ? {} : { text }) }
}

const judge = (
  status: number,
  contentRange?: string,
  over: Partial<VerdictQuestion> = {},
): Verdict =>
  judgeResponse(
    { ...question, ...over },
    facts(status, contentRange === undefined ? {} : { 'content-range': contentRange }),
  )

const failing = (kind: string, code: string) =>
  expect.objectContaining({ kind, error: expect.objectContaining({ code }) })

describe('good responses', () => {
  test.each([
    ['20-39/100', 20],
    ['bytes 20-39/100', 20],
    ['20-29/100', 10],
    ['20-39/*', 20],
    ['20-99/100', 20],
  ])('a part with the range %s brings %i bytes', (contentRange, takeBytes) => {
    for (const status of [200, 206])
      expect(judge(status, contentRange)).toMatchObject({ kind: 'part', takeBytes })
  })

  test('fault 18: an end after the end of the file is reduced to it', () => {
    const first = { asked: { start: 0, end: 209_715_201 }, pinned: {} }
    expect(judge(200, '0-209715200/1076602', first)).toMatchObject({
      kind: 'part',
      takeBytes: 1_076_602,
      identity: { totalBytes: 1_076_602 },
    })
    expect(judge(206, '20-39/*', { pinned: { totalBytes: 30 } })).toMatchObject({
      kind: 'part',
      takeBytes: 10,
    })
  })

  test('fault 36: a 200 without Content-range is the whole file', () => {
    expect(judgeResponse(question, facts(200, { 'content-length': '100' }))).toEqual({
      kind: 'whole',
      identity: { totalBytes: 100 },
      isEndKnown: true,
    })
    expect(judge(200)).toEqual({ kind: 'whole', identity: {}, isEndKnown: true })
    const unknown = { pinned: {} }
    expect(judge(200, undefined, unknown)).toMatchObject({ kind: 'whole', isEndKnown: false })
    expect(judgeResponse(question, facts(200, { 'content-length': '99' }))).toEqual(
      failing('replaced', 'RANGE_FILE_REPLACED'),
    )
  })

  test('a condition that fails is a replaced file, where its entity tag was asked for', () => {
    const pinned = { totalBytes: 100, etag: '"one"' }
    expect(judge(412, undefined, { pinned })).toEqual(failing('replaced', 'RANGE_FILE_REPLACED'))
    expect(judge(412)).toEqual(failing('fatal', 'HTTP_STATUS'))
  })

  test('a start past the file, and an unsatisfied range in a good response, are refused', () => {
    expect(judge(206, '20-39/20', { pinned: {} })).toEqual(failing('fatal', 'RANGE_HEADER_INVALID'))
    expect(judge(206, '*/100')).toEqual(failing('fatal', 'RANGE_HEADER_INVALID'))
  })

  test('fault 26: an empty response means an empty file at the start and a replaced file later', () => {
    const start = { asked: { start: 0, end: 20 }, pinned: {} }
    expect(judge(204, undefined, start)).toEqual({ kind: 'empty', identity: { totalBytes: 0 } })
    expect(judge(206, '*/0', start)).toEqual({ kind: 'empty', identity: { totalBytes: 0 } })
    expect(judge(416, '*/0', start)).toEqual({ kind: 'empty', identity: { totalBytes: 0 } })
    for (const pinned of [{}, { totalBytes: 100 }]) {
      expect(judge(204, undefined, { pinned })).toEqual(failing('replaced', 'RANGE_FILE_REPLACED'))
      expect(judge(416, '*/0', { pinned })).toEqual(failing('replaced', 'RANGE_FILE_REPLACED'))
    }
  })

  test('fault 89: a 200 with a length of 0 is repeated and changes no identity', () => {
    for (const asked of [question.asked, { start: 0, end: 20 }]) {
      for (const pinned of [{}, { totalBytes: 100 }]) {
        const verdict = judgeResponse(
          { ...question, asked, pinned },
          facts(200, { 'content-length': '0', etag: '"b"' }),
        )
        expect(verdict).toEqual(failing('retry', 'HTTP_TRANSPORT'))
      }
    }
    expect(judgeResponse(question, facts(503, { 'content-length': '0' }))).toEqual(
      failing('retry', 'HTTP_STATUS'),
    )
  })

  test('fault 20: a Content-Length that is repeated or no number is refused', () => {
    for (const length of ['20, 20', '20, 21', 'x', '-1', '', '9007199254740993'])
      expect(
        judgeResponse(
          question,
          facts(206, { 'content-range': '20-39/100', 'content-length': length }),
        ),
      ).toEqual(failing('fatal', 'HTTP_CONTENT_LENGTH'))
  })

  test('fault 34: error pages are refused unless the check is off', () => {
    const page = facts(200, { 'content-type': 'text/html' }, '<html>')
    expect(bodyIsText(page, true)).toBe(true)
    expect(judgeResponse(question, page)).toEqual(failing('fatal', 'HTTP_CONTENT_TYPE'))
    expect(bodyIsText(page, false)).toBe(false)
    expect(judgeResponse({ ...question, sniffContentType: false }, page)).toMatchObject({
      kind: 'whole',
    })
  })
})

describe('refusals', () => {
  test('fault 23: a 416 with the known total means that the file is complete', () => {
    expect(judge(416, '*/20', { pinned: {} })).toEqual({
      kind: 'total',
      identity: { totalBytes: 20 },
    })
    expect(judge(416, 'bytes */20', { pinned: { totalBytes: 20 } })).toEqual({
      kind: 'total',
      identity: { totalBytes: 20 },
    })
    expect(
      judgeResponse(
        { ...question, pinned: {} },
        facts(400, { 'content-range': '*/20' }, '{"errorId":13017}'),
      ),
    ).toMatchObject({
      kind: 'total',
    })
  })

  test('fault 24: a 416 with another total means that the file was replaced', () => {
    expect(judge(416, '*/101')).toEqual(failing('replaced', 'RANGE_FILE_REPLACED'))
    expect(judge(416, '*/19', { pinned: {} })).toEqual(failing('replaced', 'RANGE_FILE_REPLACED'))
  })

  test('fault 25: a 416 without a total, or against a range inside the file, is fatal', () => {
    for (const contentRange of [undefined, '*/*', 'garbage', '20-39/100', '*/100'])
      expect(judge(416, contentRange)).toEqual(failing('fatal', 'RANGE_UNSATISFIABLE'))
    expect(judge(416, '*/50', { pinned: {} })).toEqual(failing('fatal', 'RANGE_UNSATISFIABLE'))
  })

  test('a range that ends after an unknown total is requested again within it', () => {
    expect(judge(416, '*/30', { pinned: {} })).toEqual({
      kind: 'total',
      identity: { totalBytes: 30 },
    })
  })

  test.each([202, 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])(
    'fault 28: %i is retried with the requested delay',
    status => {
      expect(judgeResponse(question, facts(status, { 'retry-after': '3' }))).toMatchObject({
        kind: 'retry',
        retryAfterMs: 3000,
        error: { retryable: true },
      })
    },
  )

  test('fault 27: 13006 and 13007 are retried with any status', () => {
    for (const status of [400, 404, 409])
      for (const errorId of [13006, 13007])
        expect(
          judgeResponse(question, facts(status, {}, JSON.stringify({ errors: [{ errorId }] }))),
        ).toMatchObject({
          kind: 'retry',
          retryAfterMs: undefined,
        })
  })

  test.each([201, 205, 301, 304, 400, 401, 403, 404, 409, 410, 501, 505])(
    'the status %i is fatal',
    status => {
      expect(judge(status)).toEqual(failing('fatal', 'HTTP_STATUS'))
    },
  )

  test('the error of a status has the description of the service', () => {
    const verdict = judgeResponse(
      question,
      facts(403, {}, '{"errorId":13023,"category":"BUSINESS","message":"no"}'),
    )
    expect(verdict).toMatchObject({
      kind: 'fatal',
      error: {
        context: {
          url,
          status: 403,
          errorId: 13023,
          category: 'BUSINESS',
          message: 'no',
          byteOffset: 20,
        },
      },
    })
  })
})
