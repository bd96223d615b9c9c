import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  contradictsSignature,
  GZIP_SIGNATURE,
  identityChange,
  identityOf,
  mergeIdentity,
  readContentRange,
  refusedContentType,
} from '../../../../src/engine/codec/range/file-identity'

test('fault 14: weak and malformed entity tags are apart', () => {
  for (const etag of ['W/"a"', 'a', '"a", "b"'])
    expect(identityOf(5, 'then', etag)).toEqual({
      totalBytes: 5,
      lastModified: 'then',
      weakEtag: etag,
    })
  for (const etag of ['', undefined])
    expect(identityOf(5, 'then', etag)).toEqual({ totalBytes: 5, lastModified: 'then' })
  expect(identityOf(undefined, undefined, '"a"')).toEqual({ etag: '"a"' })
})

test('a date is strong where its answer was made at least 60 seconds later', () => {
  const at = (seconds: number) => new Date(Date.UTC(2024, 0, 1) + seconds * 1000).toUTCString()
  expect(identityOf(5, at(0), undefined, at(60))).toEqual({
    totalBytes: 5,
    lastModified: at(0),
    date: at(60),
    isDateStrong: true,
  })
  for (const date of [at(59), at(0), at(-60), 'soon', undefined])
    expect(identityOf(5, at(0), undefined, date)).not.toHaveProperty('isDateStrong')
})

test('of what the caller knew, values that one side leaves out are not compared', () => {
  const known = { totalBytes: 5, lastModified: 'a', etag: '"a"' }
  expect(identityChange({}, known, 'given')).toBeUndefined()
  expect(identityChange(known, {}, 'given')).toBeUndefined()
})

test('fault 131: between answers a validator that appears or disappears is a change', () => {
  const values = { lastModified: 'a', etag: '"a"', weakEtag: 'W/"a"' }
  for (const [name, value] of Object.entries(values)) {
    expect(identityChange({}, { [name]: value })).toMatchObject({ before: 'none', after: value })
    expect(identityChange({ [name]: value }, {})).toMatchObject({ before: value, after: 'none' })
  }
  const strong = { lastModified: 'a', isDateStrong: true }
  expect(identityChange(strong, strong)).toBeUndefined()
  expect(identityChange(strong, { lastModified: 'a' })).toMatchObject({ what: 'last-modified' })
})

test('fault 131: a whole body may have other validators, but no earlier date', () => {
  const [early, late] = ['Mon, 01 Jan 2024 00:00:00 GMT', 'Mon, 01 Jan 2024 00:00:01 GMT']
  const of = (lastModified: string, etag: string) => ({ lastModified, etag })
  expect(identityChange(of(early, '"a"'), of(late, '"b"'), 'unproven')).toBeUndefined()
  expect(identityChange(of(late, '"a"'), of(early, '"a"'), 'unproven')).toBeUndefined()
  expect(identityChange(of(late, '"a"'), of(early, '"b"'), 'unproven')).toMatchObject({
    what: 'last-modified',
  })
})

test('faults 6, 11, 13: the changed value is named', () => {
  expect(identityChange({ totalBytes: 5 }, { totalBytes: 6 })).toEqual({
    what: 'total',
    before: '5',
    after: '6',
  })
  expect(identityChange({ totalBytes: 5 }, { totalBytes: 0 })).toEqual({
    what: 'total',
    before: '5',
    after: '0',
  })
  expect(identityChange({ lastModified: 'a' }, { lastModified: 'b' })).toEqual({
    what: 'last-modified',
    before: 'a',
    after: 'b',
  })
  expect(identityChange({ etag: '"a"' }, { etag: '"b"' })).toEqual({
    what: 'etag',
    before: '"a"',
    after: '"b"',
  })
})

test('only the size is added to what is known', () => {
  expect(mergeIdentity({ etag: '"b"' }, { totalBytes: 6, etag: '"a"' })).toEqual({
    totalBytes: 6,
    etag: '"b"',
  })
  expect(mergeIdentity({ totalBytes: 5 }, { totalBytes: 6 })).toEqual({ totalBytes: 5 })
})

const unreadable = (problem: string) => ({ kind: 'unreadable', problem })

test.each(['0-9/100', 'bytes 0-9/100', 'Bytes  0-9/100', ' bytes\t0-9/100 '])(
  'fault 9: %j is read with and without the unit',
  header => {
    expect(readContentRange(header)).toEqual({
      kind: 'range',
      firstOffset: 0,
      lastOffset: 9,
      totalBytes: 100,
    })
  },
)

test.each(['0-9/*', 'bytes 0-9/*'])('fault 7: %j has an unknown total', header => {
  expect(readContentRange(header)).toEqual({
    kind: 'range',
    firstOffset: 0,
    lastOffset: 9,
    totalBytes: undefined,
  })
})

test.each([
  ['*/1234', 1234],
  ['bytes */0', 0],
  ['*/*', undefined],
])('%j is an unsatisfied range', (header, totalBytes) => {
  expect(readContentRange(header)).toEqual({ kind: 'unsatisfied', totalBytes })
})

test('fault 18: an echoed, unclamped end is passed on as it stands', () => {
  expect(readContentRange('0-209715200/1076602')).toEqual({
    kind: 'range',
    firstOffset: 0,
    lastOffset: 209_715_200,
    totalBytes: 1_076_602,
  })
})

test('fault 8: missing, repeated and malformed headers are refused', () => {
  for (const header of [undefined, '', '  '])
    expect(readContentRange(header)).toEqual(unreadable('missing'))
  for (const header of ['0-9/100, 0-9/100', 'bytes 0-9/100,bytes 10-19/100'])
    expect(readContentRange(header)).toEqual(unreadable('repeated'))
  const garbage = [
    '0-9',
    '9-0/100',
    '-9/100',
    '0-/100',
    'items 0-9/100',
    'bytes=0-9/100',
    '0x0-9/100',
    '1e1-20/100',
    '0-9/1e3',
    '0 - 9/100',
    '+0-9/100',
    '٠-٩/100',
    'bytes0-9/100',
    '0-9/100;',
  ]
  for (const header of garbage)
    expect([header, readContentRange(header)]).toEqual([header, unreadable('invalid')])
})

test('fault 10: numbers past 2^53 are refused', () => {
  for (const header of [
    '0-9/9007199254740992',
    '0-9007199254740992/*',
    '9007199254740993-9007199254740994/*',
    '*/9007199254740992',
  ])
    expect(readContentRange(header)).toEqual(unreadable('invalid'))
  expect(readContentRange('0-9007199254740990/9007199254740991')).toMatchObject({
    totalBytes: Number.MAX_SAFE_INTEGER,
  })
})

test('no text makes the parser throw', () => {
  fc.assert(
    fc.property(
      fc.string(),
      header =>
        void expect(readContentRange(header).kind).toMatch(/^(range|unsatisfied|unreadable)$/),
    ),
  )
})

test('fault 34: media types of pages and messages are refused', () => {
  for (const type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/json',
    'application/problem+json',
    'text/xml',
    'application/xhtml+xml',
    'multipart/byteranges; boundary=x',
  ])
    expect([type, refusedContentType(type)]).toEqual([type, true])
  for (const type of [
    undefined,
    '',
    'application/octet-stream',
    'text/tab-separated-values',
    'application/gzip',
    'text/plain',
    'application/x-json-gzip',
  ])
    expect([type, refusedContentType(type)]).toEqual([type, false])
})

test('fault 34: a signature that arrives in several parts is checked', () => {
  const whole = fc.uint8Array({ minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(whole, fc.nat(6), fc.boolean(), (bytes, cut, isGzip) => {
      const file = isGzip ? Uint8Array.from([0x1f, 0x8b, ...bytes]) : bytes
      const [head, tail] = [file.subarray(0, cut), file.subarray(cut)]
      const found =
        contradictsSignature(0, head, GZIP_SIGNATURE) ||
        contradictsSignature(head.length, tail, GZIP_SIGNATURE)
      const expected = file[0] !== 0x1f || (file.length > 1 && file[1] !== 0x8b)
      expect(found).toBe(expected)
    }),
  )
  expect(contradictsSignature(0, Uint8Array.of(1, 2), new Uint8Array())).toBe(false)
})
