// What a body is: each kind by its first bytes, and tables that begin as another kind does.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foreignBody, isText, START_BYTES, whatIsNoGzip } from '../../../src/engine/codec/body-kind'
import { foreignBody as anyForeign, BROTLI, FOREIGN } from '../../foreign-bodies'
import { isJsonPrefix } from '../../json-prefix'

describe('fault 136: a body that is no table is called what it is', () => {
  test.each(FOREIGN.map(({ name, bytes, what }) => [name, bytes, what] as const))(
    '%s',
    (_, bytes, what) => {
      expect(foreignBody(bytes)).toMatch(what)
      expect(foreignBody(bytes)).toMatch(/^it (is|looks like) .*: .{20}/)
    },
  )

  test('Brotli, whose label decides', () => {
    for (const label of ['br', 'stock.csv.br', 'http://x/stock.BR', 'http://x/stock.br?day'])
      expect(foreignBody(BROTLI.bytes, label)).toMatch(BROTLI.what)
    for (const label of [undefined, '', 'stock.csv', 'abr', 'http://x.br/stock'])
      expect(foreignBody(BROTLI.bytes, label)).toBeUndefined()
    expect(foreignBody(Buffer.from('id\ttitle\n1\té\n'), 'stock.br')).toBeUndefined()
  })

  test('only the first 512 bytes decide', () => {
    const long = `{"error":"${'x'.repeat(600)}`
    expect(foreignBody(Buffer.from(long))).toMatch(/JSON/)
    expect(foreignBody(Buffer.from(`${long}\n\t`))).toMatch(/JSON/)
    expect(foreignBody(Buffer.from(`${long.slice(0, START_BYTES - 1)}\n\t`))).toBeUndefined()
  })
})

describe('fault 136: a table that begins as another kind does is a table', () => {
  test('with a NUL between bytes that are not UTF-8', () => {
    const bytes = [97, 9, 98, 10, 9, 0, 10, 9, 0xf4, 0x90, 0x80, 0x80, 10]
    expect(foreignBody(Uint8Array.from(bytes))).toBeUndefined()
  })

  test.each([
    '',
    '\n',
    'id\ttitle\n',
    '[id],[name]\n1,2\n',
    '[id]\t[name]\n',
    '{sku},{name}\n',
    '{sku}\n1\n',
    '[1],[2]\n3,4\n',
    '[1]\t[2]\n3\t4\n',
    '[1]\n5\n6\n',
    '[a]\n[b]\n',
    '[TRUE]\n',
    '[01]\n',
    '["id","title"]\n1,2\n',
    '{"a":1}\tb\n',
    '{id: 1}\n',
    "{'error':'quota'}\n",
    '[1,]\n',
    '[.5]\n',
    '[v]\n',
    '[c]\n',
    '["\n"]\n',
    '{"a":v}\n',
    '{"a"}\n',
    '["a\tb"]\n',
    '<id>\tname\n1\ta\n',
    '<id>\t<name>\n',
    '<id>,<name>\n',
    '<html>\tname\n',
    '<title>;<link>\n1;2\n',
    '<title>|<b>|<p>\n<b>x</b>|y|z\n',
    '<id>\n1\n2\n',
    '<id>\n<x>\n<y>\n',
    '<title>\nA lamp\n',
    '<id> (number)\tname\n',
    '<5 kg\t>5 kg\n',
    '<\t>\n',
    '<>\t<=\n',
    'PK\tname\n',
    'PAR1\tname\n',
    'BZh9\tname\n',
    'BZh91AY\tname\n',
    '%PDF\tname\n',
    'ustar\tname\n',
    `${'x'.repeat(257)}ustar\tname\n`,
    'Rar!\tname\n',
    '7z\tname\n',
    'größe\t名\n1\t2\n',
    'a\tb\n\0\t1\n',
    'ab\tc\n\0x\t\0\n',
    '上\t三\n一\t\0\n',
  ])('%j', text => {
    expect(foreignBody(Buffer.from(text))).toBeUndefined()
    expect(foreignBody(Buffer.from(`\ufeff${text}`))).toBeUndefined()
  })
})

test('what Gunzip reads is called what it is, or text, or nothing known', () => {
  expect(whatIsNoGzip(Buffer.from('id\ttitle\n'))).toMatch(/^it is text: leave Gunzip out/)
  expect(whatIsNoGzip(Buffer.from('PK\x03\x04 and so on'))).toMatch(/ZIP/)
  expect(whatIsNoGzip(Buffer.from([0x80, 1, 2]))).toBeUndefined()
})

test('text that is cut inside a character is text', () => {
  const text = Buffer.from('é'.repeat(400))
  for (const end of [0, 1, 2, 511, 512, 513, 800]) expect(isText(text.subarray(0, end))).toBe(true)
  expect(isText(Buffer.from('a\0b'))).toBe(false)
  expect(isText(Buffer.from('fa\xe7ade', 'latin1'))).toBe(false)
})

test('fault 136: pages and JSON at random are never taken for a table', () => {
  fc.assert(
    fc.property(anyForeign, ({ bytes, what }) => void expect(foreignBody(bytes)).toMatch(what)),
    { numRuns: 3000 },
  )
})

test('JSON is what begins as JSON, and nothing else', () => {
  const part = fc.constantFrom(
    ...['[', ']', '{', '}', '"', ':', ',', '1', '0', '-', '.', 'e', 't', 'true', 'null', 'fals'],
    ...['a', 'v', 'c', ' ', '\n', '\t', '\\', '\\u00', '"a":', '"b"', '{"a":1}', '[1]', '\u0080'],
  )
  const start = fc.constantFrom('[', '{', '{"a":', '[1,')
  let found = 0
  fc.assert(
    fc.property(start, fc.array(part, { maxLength: 12 }), (first, parts) => {
      const bytes = Buffer.from(first + parts.join(''))
      const isJson = isJsonPrefix(bytes.toString('latin1'))
      if (isJson) found++
      expect(/it is JSON/.test(foreignBody(bytes) ?? '')).toBe(isJson)
    }),
    { numRuns: 20_000 },
  )
  expect(found).toBeGreaterThan(1000)
})
