import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import { is, type OptionTable, readOptions, show } from '../../src/engine/options'

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
  expect(is.wholeNumber()('windowBytes', 1)).toBe(1)
  expect(is.wholeNumber(0)('backoffBaseMs', 0)).toBe(0)
  expect(is.durationMs()('idleMs', 2 ** 31 - 1)).toBe(2 ** 31 - 1)
  expect(is.finiteNumber(0, 1)('rate', 0.5)).toBe(0.5)
  expect(is.choice('once', 'follow')('mode', 'once')).toBe('once')
  expect(is.flag('worker', false)).toBe(false)
  expect(is.filledText('marketplace', 'MKT_US')).toBe('MKT_US')
  expect(is.filePath('path', 'a/b')).toBe('a/b')
  expect(is.arrayOf('topics', [1])).toEqual([1])
  expect(is.texts('scopes', ['a'])).toEqual(['a'])
  const method = { send() {} }
  expect(is.withMethods('send')('transport', method)).toBe(method)
  const checks: Record<string, (value: never) => unknown> = {
    wholeNumber: value => is.wholeNumber()('given', value),
    durationMs: value => is.durationMs()('given', value),
    finiteNumber: value => is.finiteNumber(2)('given', value),
    choice: value => is.choice('once', 'follow')('given', value),
    flag: value => is.flag('given', value),
    withMethods: value => is.withMethods('send' as never)('given', value),
    clockMs: value => is.clockMs('given', value ?? (null as never)),
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
    const { message } = refusal(() => is.filePath('given', address))
    expect(message).toMatch(/^given must be the path of a file or folder, not an address \w+:/)
    expect(message).not.toContain('4711')
  }
  for (const value of ['', 'a\0b', 7]) refusal(() => is.filePath('given', value as never))
  for (const value of ['a', {}, null, 7])
    expect(refusal(() => is.arrayOf('given', value as never)).context).toMatchObject({
      option: 'given',
    })
  for (const value of [[''], [7], 'a']) refusal(() => is.texts('given', value as never))
  for (const value of ['', 7]) refusal(() => is.filledText('given', value as never))
})

test('whole numbers stay within their bounds', () => {
  for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    refusal(() => is.wholeNumber()('windowBytes', value))
  expect(refusal(() => is.wholeNumber(1, 9)('idleMs', 10))).toMatchObject({
    message: 'idleMs must be a whole number from 1 to 9, not 10',
    context: { option: 'idleMs', expected: 'a whole number from 1 to 9', received: '10' },
  })
})

interface Given {
  readonly engine?: 'wasm' | 'zlib'
  readonly worker?: boolean
  readonly parts: number
  readonly random?: () => number
  readonly schema?: object
}

const OPTIONS = {
  engine: [is.choice('wasm', 'zlib')],
  worker: [is.flag, true],
  parts: is.wholeNumber(1, 9),
  random: [is.callback, Math.random, 'internal'],
  schema: is.any,
} satisfies OptionTable<Given>

test('an unknown option is refused with a suggestion of the intended name', () => {
  const hint = (options: object) => refusal(() => readOptions(options as Given, OPTIONS)).message
  expect(hint({ parts: 0, enginee: 'zlib' })).toBe('enginee is not an option: did you mean engine?')
  expect(hint({ Worker: true })).toBe('Worker is not an option: did you mean worker?')
  expect(hint({ wokrer: true })).toBe('wokrer is not an option: did you mean worker?')
  expect(hint({ constructor: 1 })).toBe(
    'constructor is not an option: the options are engine, worker, parts, schema',
  )
  for (const value of [null, 'text', 7, []])
    expect(refusal(() => readOptions(value as unknown as Given, OPTIONS)).context).toMatchObject({
      option: 'options',
    })
})

test('a table gives checked values, with defaults in the place of undefined', () => {
  const schema = {}
  const read = (options: Given) => readOptions(options, OPTIONS)
  expect(read({ parts: 3, schema })).toEqual({
    engine: undefined,
    worker: true,
    parts: 3,
    random: Math.random,
    schema,
  })
  expect(read({ parts: 3, worker: undefined } as never).worker).toBe(true)
  // The types of the values follow from the table.
  const read4: {
    readonly engine: 'wasm' | 'zlib' | undefined
    readonly worker: boolean
    readonly random: () => number
    readonly schema: object | undefined
  } = read({ parts: 4, worker: false, engine: 'zlib' })
  expect(read4).toMatchObject({ worker: false, engine: 'zlib' })
})

test('a table that does not fit the type of its options is a compile error', () => {
  const { worker: _, ...fewer } = OPTIONS
  const tables: OptionTable<Given>[] = [
    // @ts-expect-error The table lacks the option worker.
    fewer,
    // @ts-expect-error There is no such option.
    { ...OPTIONS, enginee: is.any },
    // @ts-expect-error The option may be left out.
    { ...OPTIONS, worker: is.flag },
    // @ts-expect-error The option takes another choice too.
    { ...OPTIONS, engine: [is.choice('wasm')] },
    // @ts-expect-error The default is none of the choices.
    { ...OPTIONS, engine: [is.choice('wasm', 'zlib'), 'fflate'] },
  ]
  expect(tables).toHaveLength(5)
})

test('a wrong value is told with the path of its option', () => {
  const told = (options: object, ...where: string[]) =>
    refusal(() => readOptions(options as Given, OPTIONS, ...where)).message
  expect(told({})).toBe('parts must be a whole number from 1 to 9, not undefined')
  expect(told({ parts: 3, worker: null })).toBe('worker must be true or false, not null')
  expect(told({ parts: 10 }, 'limits')).toBe(
    'limits.parts must be a whole number from 1 to 9, not 10',
  )
  expect(told({ parts: 10 }, 'limits', '')).toBe('parts must be a whole number from 1 to 9, not 10')
  expect(told([], 'limits')).toBe('limits must be an object, not an array')
})

test('a class is refused as a callback', () => {
  const call = () => 1
  expect(is.callback('onBadRow', call)).toBe(call)
  expect(refusal(() => is.callback('onBadRow', class Policy {} as never)).message).toBe(
    'onBadRow must be a function, not the class Policy',
  )
})

test('a clock is a Date, a function that gives one, or that of the system', () => {
  const moment = new Date('2026-03-01T12:00:00Z')
  expect(is.clockMs('now', moment)()).toBe(moment.getTime())
  expect(is.clockMs('now', () => moment)()).toBe(moment.getTime())
  expect(is.clockMs('now', undefined)).toBe(Date.now)
  const wrong = is.clockMs('now', (() => 7) as never)
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
  expect(is.secretText('clientSecret', 'hidden')).toBe('hidden')
  for (const value of ['', undefined, 7, { text: 'hidden' }])
    expect(refusal(() => is.secretText('clientSecret', value as never)).context).toEqual({
      option: 'clientSecret',
      expected: 'text that is not empty',
      received: typeof value,
    })
})
