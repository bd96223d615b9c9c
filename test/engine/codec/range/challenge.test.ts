import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readChallenge } from '../../../../src/engine/codec/range/challenge'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer realm="feeds"', undefined],
  ['Basic realm="error=\\"x\\""', undefined],
  ['Basic error="not of a Bearer challenge"', undefined],
  ['Bearer error="invalid_token"', { error: 'invalid_token' }],
  ['bearer ERROR = invalid_token', { error: 'invalid_token' }],
  [
    'Bearer error_description="a \\"quoted\\" word, error=x"',
    { description: 'a "quoted" word, error=x' },
  ],
  [
    'Basic realm="a, b", Bearer scope="x", error="insufficient_scope",error_description="more"',
    { error: 'insufficient_scope', description: 'more' },
  ],
  ['Bearer error="one", Bearer error="two"', { error: 'one' }],
])('%s', (header, challenge) => {
  expect(readChallenge(header)).toEqual(challenge)
})

test('long texts are cut', () => {
  const { error, description } = readChallenge(
    `Bearer error="${'e'.repeat(500)}", error_description="${'d'.repeat(500)}"`,
  )!
  expect([error!.length <= 41, description!.length <= 201]).toEqual([true, true])
})

test('no header of a server makes the parser throw', () => {
  const part = fc.constantFrom(
    'Bearer',
    'Basic',
    ' ',
    ',',
    '=',
    '"',
    '\\',
    'error',
    'error_description',
    'x',
  )
  fc.assert(
    fc.property(fc.array(part), parts => {
      readChallenge(parts.join(''))
    }),
  )
})

test('a long header is read in linear time', () => {
  expect(readChallenge(`Bearer ${'a'.repeat(200_000)}${'="'.repeat(10_000)}`)).toBeUndefined()
})
