import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import {
  arrayOf,
  callback,
  choice,
  clockMs,
  durationMs,
  filePath,
  filledText,
  finiteNumber,
  flag,
  knownOptions,
  type OptionNames,
  secretText,
  show,
  texts,
  wholeNumber,
  withMethods,
} from '../../src/engine/options'

/** The error of a check that is to fail. */
function refusal(check: () => unknown): { message: string; context: unknown } {
  try {
    check()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'OPTION_INVALID') return error
    throw error
  }
  throw new FeedError('STAGE_FAILED', 'nothing was refused', { stage: 'test' })
}

const WRONG: unknown[] = [
  undefined,
  null,
  Number.NaN,
  1.5,
  -1,
  'x\ny',
  [],
  {},
  Symbol('s'),
  10n,
  class Some {},
  () => 1,
  new Date(Number.NaN),
]

test('each check returns valid values and refuses others with the name of the option', () => {
  expect(wholeNumber('windowBytes', 1)).toBe(1)
  expect(wholeNumber('backoffBaseMs', 0, 0)).toBe(0)
  expect(durationMs('idleMs', 2 ** 31 - 1)).toBe(2 ** 31 - 1)
  expect(finiteNumber('rate', 0.5, 0, 1)).toBe(0.5)
  expect(choice('mode', 'once', ['once', 'follow'])).toBe('once')
  expect(flag('worker', false)).toBe(false)
  expect(filledText('marketplace', 'MKT_US')).toBe('MKT_US')
  expect(filePath('path', 'a/b')).toBe('a/b')
  expect(arrayOf('topics', [1])).toEqual([1])
  expect(texts('scopes', ['a'])).toEqual(['a'])
  const method = { send() {} }
  expect(withMethods('transport', method, ['send'])).toBe(method)
  const checks: Record<string, (value: never) => unknown> = {
    wholeNumber: value => wholeNumber('given', value),
    durationMs: value => durationMs('given', value),
    finiteNumber: value => finiteNumber('given', value, 2),
    choice: value => choice('given', value, ['once', 'follow']),
    flag: value => flag('given', value),
    withMethods: value => withMethods('given', value, ['send' as never]),
    clockMs: value => clockMs('given', value ?? (null as never)),
  }
  for (const [name, check] of Object.entries(checks)) {
    for (const value of WRONG) {
      if (name === 'clockMs' && inspect(value) === inspect(() => 1)) continue
      const { message, context } = refusal(() => check(value as never))
      expect(context, name).toMatchObject({ option: 'given' })
      expect(message).toMatch(/^given must be /)
      expect(message).not.toContain('\n')
    }
  }
  for (const address of ['s3://bucket/f?sig=tok-4711', ' https://host/?key=tok-4711']) {
    const { message } = refusal(() => filePath('given', address))
    expect(message).toMatch(/^given must be the path of a file or folder, not an address \w+:/)
    expect(message).not.toContain('4711')
  }
  for (const value of ['', 'a\0b', 7]) refusal(() => filePath('given', value as never))
  for (const value of ['a', {}, null, 7])
    expect(refusal(() => arrayOf('given', value as never)).context).toMatchObject({
      option: 'given',
    })
  for (const value of [[''], [7], 'a']) refusal(() => texts('given', value as never))
  for (const value of ['', 7]) refusal(() => filledText('given', value as never))
})

test('whole numbers stay within their bounds', () => {
  for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    refusal(() => wholeNumber('windowBytes', value))
  expect(refusal(() => wholeNumber('idleMs', 10, 1, 9))).toMatchObject({
    message: 'idleMs must be a whole number from 1 to 9, not 10',
    context: { option: 'idleMs', expected: 'a whole number from 1 to 9', received: '10' },
  })
})

test('an unknown option is refused with a suggestion of the intended name', () => {
  const names: OptionNames<{ engine?: string; worker?: boolean }> = { engine: true, worker: true }
  const given = { engine: 'wasm' }
  expect(knownOptions(given, names)).toBe(given)
  const hint = (options: object) => refusal(() => knownOptions(options, names)).message
  expect(hint({ enginee: 'zlib' })).toBe('enginee is not an option: did you mean engine?')
  expect(hint({ Worker: true })).toBe('Worker is not an option: did you mean worker?')
  expect(hint({ wokrer: true })).toBe('wokrer is not an option: did you mean worker?')
  expect(hint({ constructor: 1 })).toBe(
    'constructor is not an option: the options are engine, worker',
  )
  for (const value of [null, 'text', 7, []])
    expect(refusal(() => knownOptions(value as never, names)).context).toMatchObject({
      option: 'options',
    })
})

test('a class is refused as a callback', () => {
  const call = () => 1
  expect(callback('onBadRow', call)).toBe(call)
  expect(refusal(() => callback('onBadRow', class Policy {})).message).toBe(
    'onBadRow must be a function, not the class Policy',
  )
})

test('a clock is a Date, a function that gives one, or that of the system', () => {
  const moment = new Date('2026-03-01T12:00:00Z')
  expect(clockMs('now', moment)()).toBe(moment.getTime())
  expect(clockMs('now', () => moment)()).toBe(moment.getTime())
  expect(clockMs('now', undefined)).toBe(Date.now)
  const wrong = clockMs('now', (() => 7) as never)
  expect(refusal(wrong).message).toBe('now() must be a Date, not 7')
})

test('a value is shown shortened, and none of its methods is called', () => {
  const hostile = {
    toString() {
      throw new FeedError('STAGE_FAILED', 'toString was called', { stage: 'test' })
    },
  }
  expect(show(hostile)).toBe('an object')
  expect(show('x'.repeat(500)).length).toBeLessThanOrEqual(80)
  expect(show(Symbol('s'))).toBe('Symbol(s)')
  expect(show(-0)).toBe('0')
})

test('an error about a credential shows its type alone', () => {
  expect(secretText('clientSecret', 'hidden')).toBe('hidden')
  for (const value of ['', undefined, 7, { text: 'hidden' }])
    expect(refusal(() => secretText('clientSecret', value as never)).context).toEqual({
      option: 'clientSecret',
      expected: 'text that is not empty',
      received: typeof value,
    })
})
