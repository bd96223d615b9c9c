import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  asFeedError,
  type ErrorCode,
  FeedError,
  familyOf,
  printableText,
} from '../../src/engine/errors'

const source = readFileSync(join(import.meta.dirname, '../../src/engine/errors.ts'), 'utf8')
const contexts = source.slice(
  source.indexOf('export interface ErrorContexts'),
  source.indexOf('export type ErrorCode'),
)
const codes = [...contexts.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, code]) => code as ErrorCode)

test('every code has a family, which its prefix names where other codes share the prefix', () => {
  expect(codes.length).toBeGreaterThan(50)
  const named = ['HTTP', 'RANGE', 'CHUNK', 'GZIP', 'TSV', 'STATE', 'SYNC', 'SINK', 'STAGE']
  for (const code of codes) {
    const family = familyOf(code)
    expect(family, code).toBeDefined()
    const prefix = code.split('_')[0]!
    if (named.includes(prefix)) expect(family, code).toBe(prefix.toLowerCase())
  }
  expect(familyOf('CODE_OF_A_NEWER_COPY' as ErrorCode)).toBeUndefined()
})

test('a FeedError passes through asFeedError, and anything else becomes STAGE_FAILED', () => {
  const error = new FeedError('GZIP_EMPTY', 'no input', { byteOffset: 0 })
  expect(asFeedError(error, 'Gunzip')).toBe(error)
  const thrown = new RangeError('broken')
  expect(asFeedError(thrown, 'Gunzip')).toMatchObject({
    code: 'STAGE_FAILED',
    message: 'Gunzip: broken',
    context: { stage: 'Gunzip' },
    cause: thrown,
  })
  expect(asFeedError('text', 'Gunzip').message).toBe('Gunzip: text')
})

test('fault 115: the message of an error is one line that a terminal does not obey', () => {
  const told = 'a\tb\u001b[2J\u0007\u009b31m\u202ec\r\nfeedmill: ok\u2028\u200f é 漢 😀'
  const shown = 'a b�[2J��31m�c⏎feedmill: ok�� é 漢 😀'
  const error = new FeedError('GZIP_EMPTY', told, { byteOffset: 0 })
  expect([error.message, error.stack!.split('\n')[0]]).toEqual([shown, `FeedError: ${shown}`])
  expect(printableText('\r\n\r\n\n')).toBe('⏎⏎⏎')
})
