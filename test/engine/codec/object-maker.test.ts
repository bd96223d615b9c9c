import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import {
  assigningMaker,
  copyingMaker,
  listedMaker,
  literalMaker,
  literalTextMaker,
  objectMaker,
  type TextShape,
  textObjectMaker,
} from '../../../src/engine/codec/object-maker'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { anyColumns, richCell, tsv } from '../../tsv-text'

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

test('all makers give plain objects with an own property for each name, whatever the names say', () => {
  fc.assert(
    fc.property(fc.uniqueArray(names, { maxLength: 50 }), fc.nat(50), (all, cut) => {
      const given = all.slice(0, cut)
      const constants = all.slice(cut).map((name): [string, unknown] => [name, `constant ${name}`])
      const values = given.map((_, n) => n)
      const expected = Object.fromEntries<unknown>([
        ...given.map((name, n): [string, unknown] => [name, n]),
        ...constants,
      ])
      for (const make of [literalMaker, copyingMaker, assigningMaker]) {
        const object = make({ names: given, constants })(values)
        expect(Object.entries(object)).toEqual(Object.entries(expected))
        expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
      }
    }),
  )
})

test.each([1, 127, 128, 1020, 1021, 4096])('an object of %i columns', columns => {
  const many = Array.from({ length: columns }, (_, n) => `column ${n}`)
  const object = objectMaker({ names: many, constants: [] })(many)
  expect(Object.keys(object)).toEqual(many)
  expect(Object.values(object)).toEqual(many)
})

test('objects are made without generated code where that is forbidden', () => {
  const forbidden = vi.fn(function forbidden() {
    throw new EvalError('Code generation from strings disallowed for this context')
  })
  vi.stubGlobal('Function', forbidden)
  expect(objectMaker({ names: ['a'], constants: [['b', 2]] })([1])).toEqual({ a: 1, b: 2 })
  expect(forbidden).toHaveBeenCalled()
})

const WIDTH = 5

function batchesOf(cells: readonly (readonly string[])[]): RowBatch[] {
  const header = Array.from({ length: cells[0]!.length }, (_, n) => `h${n}`)
  const parser = new TsvParser({ schema: anyColumns })
  return [...parser.push(Buffer.from(tsv([header, ...cells]))), ...parser.end()]
}

/** Column names with characters that could break generated code. */
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '0',
    '17',
    'text0',
    'run',
    '"',
    '\\',
    "'] + x + ['",
    '\u2028',
    '})',
    '`',
    '',
  ),
)

/** Columns in any order, each once, with names of all kinds, some of which no column has. */
const shape: fc.Arbitrary<TextShape> = fc
  .tuple(
    fc.shuffledSubarray([...Array(WIDTH).keys()]),
    fc.uniqueArray(name, { minLength: WIDTH, maxLength: WIDTH + 3 }),
  )
  .map(([columns, names]) => ({
    columns: Int32Array.from(columns),
    names: names.slice(0, columns.length),
    absent: names.slice(WIDTH),
  }))

/** Cells, long ones too, so that rows begin and end anywhere in the runs that become text. */
const cell = fc.oneof(
  { weight: 8, arbitrary: richCell },
  { weight: 1, arbitrary: fc.nat(3000).map(length => 'x'.repeat(length)) },
)

test('all makers give plain objects of the cells that the columns have, in whatever order rows are read', () => {
  fc.assert(
    fc.property(
      shape,
      fc.array(fc.array(cell, { minLength: WIDTH, maxLength: WIDTH }), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.boolean(),
      (shape, cells, backwards) => {
        const makers = [
          literalTextMaker(shape),
          listedMaker(shape, objectMaker),
          listedMaker(shape, assigningMaker),
        ]
        let seen = 0
        for (const batch of batchesOf(cells)) {
          const slots = [...Array(batch.length).keys()]
          for (const slot of backwards ? slots.reverse() : slots) {
            const texts = Array.from(shape.columns, column => cells[seen + slot]![column]!)
            const expected = Object.fromEntries([
              ...shape.names.map((name, n) => [name, texts[n]]),
              ...shape.absent.map(name => [name, '']),
            ])
            for (const make of makers) {
              const object = make(batch.cells, slot)
              expect(Object.entries(object)).toEqual(Object.entries(expected))
              expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
            }
          }
          seen += batch.length
        }
        expect(seen).toBe(cells.length)
      },
    ),
  )
})

test.each([127, 128, 129, 4096])('the makers take %i columns', width => {
  const names = Array.from({ length: width }, (_, n) => `column ${n}`)
  const [batch] = batchesOf([names.map(name => `${name} "é"`), names])
  const make = textObjectMaker({ columns: Int32Array.from(names.keys()), names, absent: ['none'] })
  expect(make(batch!.cells, 1)).toEqual({
    ...Object.fromEntries(names.map(name => [name, name])),
    none: '',
  })
  expect(make(batch!.cells, 0)).toMatchObject({
    'column 0': 'column 0 "é"',
    [names.at(-1)!]: `${names.at(-1)} "é"`,
    none: '',
  })
})

test('objects of texts are made without generated code where that is forbidden', () => {
  const forbidden = vi.fn(function forbidden() {
    throw new EvalError('Code generation from strings disallowed for this context')
  })
  vi.stubGlobal('Function', forbidden)
  const make = textObjectMaker({ columns: Int32Array.of(1), names: ['a'], absent: ['b'] })
  expect(make(batchesOf([['x', '"\\"é"']])[0]!.cells, 0)).toEqual({ a: '"\\"é"', b: '' })
  expect(forbidden).toHaveBeenCalled()
})
