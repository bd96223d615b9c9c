import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { assigningMaker, literalMaker, objectMaker } from '../../../src/engine/codec/object-maker'

afterEach(() => vi.unstubAllGlobals())

/** Column names with characters that could break generated code. */
const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '0',
    '17',
    '"',
    '\\',
    "'] + x + ['",
    '\u2028',
    '})',
    '\ud800',
    '',
  ),
)

test('both makers give plain objects with an own property for each name, whatever the names say', () => {
  fc.assert(
    fc.property(fc.uniqueArray(names, { maxLength: 50 }), fc.nat(50), (all, cut) => {
      const given = all.slice(0, cut)
      const constants = all.slice(cut).map((name): [string, unknown] => [name, `constant ${name}`])
      const values = given.map((_, n) => n)
      const expected = Object.fromEntries<unknown>([
        ...given.map((name, n): [string, unknown] => [name, n]),
        ...constants,
      ])
      for (const make of [literalMaker, assigningMaker]) {
        const object = make({ names: given, constants })(values)
        expect(Object.entries(object)).toEqual(Object.entries(expected))
        expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
      }
    }),
  )
})

test('an object may have as many columns as a header may have', () => {
  const many = Array.from({ length: 4096 }, (_, n) => `column ${n}`)
  const object = objectMaker({ names: many, constants: [] })(many)
  expect(Object.keys(object)).toEqual(many)
  expect(object['column 4095']).toBe('column 4095')
})

test('objects are made without generated code where that is forbidden', () => {
  const forbidden = vi.fn(function forbidden() {
    throw new EvalError('Code generation from strings disallowed for this context')
  })
  vi.stubGlobal('Function', forbidden)
  expect(objectMaker({ names: ['a'], constants: [['b', 2]] })([1])).toEqual({ a: 1, b: 2 })
  expect(forbidden).toHaveBeenCalled()
})
