import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import {
  asFeedError,
  type ErrorCode,
  FeedError,
  familyOf,
  missingPackage,
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

const told = new FeedError(
  'STAGE_FAILED',
  'the second file',
  { stage: 'own' },
  {
    retryable: true,
    cause: new FeedError('TSV_QUOTE_UNCLOSED', 'a quote is open', { line: 3 } as never, {
      cause: new TypeError('below'),
    }),
  },
)

/** What is seen of an error and its causes. */
const seen = (error: unknown): unknown =>
  error instanceof FeedError
    ? [error.code, error.message, error.context, error.retryable, seen(error.cause)]
    : error instanceof Error
      ? [error.name, error.message]
      : error

test('fault 148: an error that crosses a thread, a process or a log is whole behind it', () => {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(told.toJSON())
  const messages = [
    JSON.parse(JSON.stringify(told)),
    structuredClone(told.toJSON()),
    receiveMessageOnPort(port2)!.message,
  ]
  for (const message of messages) expect(seen(FeedError.from(message))).toEqual(seen(told))
  port1.close()
  expect(FeedError.from(told)).toBe(told)
})

test('fault 148: an error comes whole out of a thread', async () => {
  const json = JSON.stringify(told)
  const code = `require('node:worker_threads').parentPort.postMessage(${json})`
  const worker = new Worker(code, { eval: true })
  const message = await new Promise(resolve => worker.once('message', resolve))
  expect(seen(FeedError.from(message))).toEqual(seen(told))
  await worker.terminate()
})

test('fault 148: a circle of causes ends, and what is no error is refused', () => {
  const circle = new FeedError('STAGE_FAILED', 'round', { stage: 'a' })
  Object.defineProperty(circle, 'cause', { value: circle })
  expect(JSON.stringify(circle).length).toBeLessThan(3000)
  for (const wrong of [undefined, null, 'text', {}, { name: 'FeedError' }, new Error('other')])
    expect(() => FeedError.from(wrong)).toThrow('told must be what toJSON() of a FeedError gave')
})

test.each([
  [
    Object.assign(new Error("Cannot find package 'a' imported from /x.js"), {
      code: 'ERR_MODULE_NOT_FOUND',
    }),
    /npm install a@1$/,
  ],
  [new Error('a mocked failure'), /npm install a@1$/],
  [
    Object.assign(new Error('/a.node: invalid ELF header'), { code: 'ERR_DLOPEN_FAILED' }),
    /does not load .*npm rebuild a$/,
  ],
  [
    Object.assign(new Error("Cannot find module '@a/linux-x64/a.node'"), {
      code: 'MODULE_NOT_FOUND',
    }),
    /does not load .*npm rebuild a$/,
  ],
  [new Error('Could not locate the bindings file. Tried: ...'), /does not load .*npm rebuild a$/],
  [Object.assign(new Error('no addons'), { code: 'ERR_DLOPEN_DISABLED' }), /without --no-addons/],
  [
    Object.assign(new Error('Access to this API has been restricted'), {
      code: 'ERR_ACCESS_DENIED',
    }),
    /--allow-addons/,
  ],
])('a package that is there and does not load is told from one that is not: %s', (cause, words) => {
  const error = missingPackage('the sink', 'a', 'a@1', cause)
  expect([error.code, error.message]).toEqual(['DEPENDENCY_MISSING', expect.stringMatching(words)])
})
