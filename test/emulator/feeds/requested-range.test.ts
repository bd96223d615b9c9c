import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  answerRange,
  type HeaderForm,
  readRange,
} from '../../../src/emulator/feeds/requested-range'

const rules = (headerForm: HeaderForm, maxRangeBytes = 100) => ({
  headerForm,
  maxRangeBytes,
  maxWholeBytes: 500,
})
const content = (
  status: 200 | 206,
  start: number,
  end: number,
  contentRange: string | undefined,
) => ({
  kind: 'content',
  status,
  sent: { start, end },
  contentRange,
})
const refused = (code: number, contentRange: string) => ({ kind: 'refused', code, contentRange })

describe('requested range', () => {
  test.each([
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=5-5', { start: 5, end: 5 }],
    ['bytes=9-0', { start: 9, end: 0 }],
    ['items=0-9', 13016],
    ['bytes 0-9', 13016],
    ['bytes=0-9,20-29', 13016],
    ['bytes=', 13016],
    ['bytes=-5', 13018],
    ['bytes=x-5', 13018],
    ['bytes=9007199254740992-9007199254740993', 13018],
    ['bytes=5-', 13019],
    ['bytes=5-x', 13019],
    ['bytes=0-99999999999999999999', 13019],
  ])('%s is read as documented', (header, read) => {
    expect(readRange(header)).toEqual(read)
  })

  test.each([
    ['bytes=0-9', content(206, 0, 9, '0-9/50')],
    ['bytes=2-60', content(206, 2, 49, '2-49/50')],
    ['bytes=49-49', content(206, 49, 49, '49-49/50')],
    ['bytes=0-49', content(200, 0, 49, '0-49/50')],
    ['bytes=0-100', content(200, 0, 49, '0-49/50')],
    [null, content(200, 0, 49, '0-49/50')],
    ['bytes=0-101', refused(13017, '*/50')],
    ['bytes=50-60', refused(13017, '*/50')],
    ['bytes=5-4', refused(13017, '*/50')],
    ['bytes=-4', refused(13018, '*/50')],
    ['octets=1-4', refused(13016, '*/50')],
  ])('documented: %s of 50 bytes', (header, answer) => {
    expect(answerRange(header, 50, rules('documented'))).toEqual(answer)
  })

  test('the maximum is compared with end - start, so one more byte passes', () => {
    expect(answerRange('bytes=0-100', 1_000, rules('documented'))).toMatchObject({
      sent: { start: 0, end: 100 },
    })
    expect(answerRange('bytes=0-101', 1_000, rules('documented'))).toMatchObject({ code: 13017 })
  })

  test('a file needs a Range from the first byte above its limit', () => {
    expect(answerRange(null, 500, rules('documented'))).toMatchObject({ status: 200 })
    expect(answerRange(null, 501, rules('documented'))).toMatchObject({ code: 13015 })
    expect(answerRange(null, 501, rules('rfc9110'))).toMatchObject({ status: 200 })
  })

  test.each([
    ['bytes=2-60', content(200, 2, 49, '2-60/50')],
    ['bytes=0-9', content(200, 0, 9, '0-9/50')],
    ['bytes=0-90', content(200, 0, 49, '0-90/50')],
  ])('echo: %s of 50 bytes', (header, answer) => {
    expect(answerRange(header, 50, rules('echo'))).toEqual(answer)
  })

  const whole = content(200, 0, 49, undefined)
  test.each([
    [null, whole],
    ['bytes=0-9', content(206, 0, 9, 'bytes 0-9/50')],
    ['Bytes=10-', content(206, 10, 49, 'bytes 10-49/50')],
    ['bytes=0-', content(206, 0, 49, 'bytes 0-49/50')],
    ['bytes=-7', content(206, 43, 49, 'bytes 43-49/50')],
    ['bytes=-700', content(206, 0, 49, 'bytes 0-49/50')],
    ['bytes=10-99999999999999999999999', content(206, 10, 49, 'bytes 10-49/50')],
    ['bytes=0-101', content(206, 0, 49, 'bytes 0-49/50')],
    ['bytes=50-', refused(13017, 'bytes */50')],
    ['bytes=50-60', refused(13017, 'bytes */50')],
    ['bytes=-0', refused(13017, 'bytes */50')],
    ['bytes=5-4', whole],
    ['bytes=0-1,5-6', whole],
    ['bytes=-', whole],
    ['octets=0-1', whole],
    ['bytes=a-b', whole],
  ])('rfc9110: %s of 50 bytes', (header, answer) => {
    expect(answerRange(header, 50, rules('rfc9110'))).toEqual(answer)
  })

  test('the response always lies within the file', () => {
    const header = fc.oneof(
      fc.constant(null),
      fc.tuple(fc.nat(60), fc.nat(60)).map(([a, b]) => `bytes=${a}-${b}`),
      fc.nat(60).map(a => `bytes=${a}-`),
      fc.nat(60).map(a => `bytes=-${a}`),
      fc.string(),
    )
    fc.assert(
      fc.property(
        header,
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom('documented', 'rfc9110', 'echo'),
        (range, total, form) => {
          const answer = answerRange(range, total, rules(form as HeaderForm, 30))
          if (answer.kind === 'refused') return
          expect(
            0 <= answer.sent.start &&
              answer.sent.start <= answer.sent.end &&
              answer.sent.end < total,
          ).toBe(true)
        },
      ),
    )
  })
})
