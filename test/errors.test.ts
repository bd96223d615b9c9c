import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asFeedError, type ErrorCode, FeedError, familyOf } from '../src/errors'

const source = readFileSync(join(import.meta.dirname, '../src/errors.ts'), 'utf8')
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
