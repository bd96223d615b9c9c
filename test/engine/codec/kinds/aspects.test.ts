import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeAspects } from '../../../../src/engine/codec/kinds/aspects'
import { FeedError } from '../../../../src/engine/errors'
import type { Aspect } from '../../../../src/engine/schema/values'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/**
 * Every text that a well-formed cell can hold: any characters, the separators often, long ones
 * sometimes.
 */
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 4,
    arbitrary: fc.string({
      unit: fc.constantFrom(':', ';', '|', 'a', 'ß', '漢', '\ufffd', '\ufeff', '\0'),
    }),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 100, maxLength: 300 }) },
)
const pairs = fc.array(fc.record({ label: fc.option(texts), name: texts, value: texts }), {
  minLength: 1,
  maxLength: 12,
})

function encodePairs(entries: readonly Aspect[]): string {
  return entries
    .map(
      ({ label, name, value }) =>
        `${label === null ? '' : `${base64(label)}|`}${base64(name)}:${base64(value ?? '')}`,
    )
    .join(';')
}

/** The same reading, as plainly as it can be written. */
function decodeNaively(cell: string): Aspect[] {
  const text = (piece: string) => Buffer.from(piece, 'base64').toString('utf8')
  let label: string | null = null
  return cell
    .replace(/;$/, '')
    .split(';')
    .map(segment => {
      const [head = '', tail] = segment.split('|')
      if (tail !== undefined) label = text(head)
      const [name = '', value = ''] = (tail ?? head).split(':')
      return { label, name: text(name), value: text(value) }
    })
}

function refusal(cell: string): { code: string; type: unknown; reason: unknown; excerpt: unknown } {
  try {
    decodeAspects(cell)
  } catch (error) {
    if (FeedError.is(error) && error.code === 'CELL_INVALID')
      return { code: error.code, ...error.context } as never
    throw error
  }
  return expect.fail(`accepted ${cell}`)
}

describe('pairs', () => {
  test('a label covers the pairs that follow it until the next label', () => {
    const cell = `${base64('a')}:${base64('1')};${base64('L')}|${base64('b')}:${base64('2')};${base64('c')}:${base64('3')};${base64('M')}|${base64('d')}:${base64('4')}`
    expect(decodeAspects(cell)).toEqual([
      { label: null, name: 'a', value: '1' },
      { label: 'L', name: 'b', value: '2' },
      { label: 'L', name: 'c', value: '3' },
      { label: 'M', name: 'd', value: '4' },
    ])
  })

  test('one semicolon may stand at the end, two may not', () => {
    expect(decodeAspects('Q29sb3I=:UmVk;')).toEqual([{ label: null, name: 'Color', value: 'Red' }])
    expect(refusal('Q29sb3I=:UmVk;;').reason).toBe('a pair without a colon')
  })

  test('nothing, or a semicolon alone, has no pairs', () => {
    expect(decodeAspects('')).toEqual([])
    expect(decodeAspects(';')).toEqual([])
  })

  test('an empty piece is an empty text', () => {
    expect(decodeAspects('|:')).toEqual([{ label: '', name: '', value: '' }])
    expect(decodeAspects('Q29sb3I=:')).toEqual([{ label: null, name: 'Color', value: '' }])
  })

  test('agrees with a naive reading, with and without the last semicolon', () => {
    fc.assert(
      fc.property(pairs, fc.boolean(), (entries, closed) => {
        const cell = encodePairs(entries) + (closed ? ';' : '')
        expect(decodeAspects(cell)).toEqual(decodeNaively(cell))
        expect(decodeAspects(cell).map(({ name, value }) => ({ name, value }))).toEqual(
          entries.map(({ name, value }) => ({ name, value })),
        )
      }),
    )
  })

  test('cells around and far above the shared block agree with a naive reading', () => {
    for (const length of [12_200, 12_286, 12_287, 12_288, 12_289, 100_000]) {
      const cell = `${base64('näme')}:${base64('x'.repeat(length))}`
      expect(decodeAspects(cell)).toEqual(decodeNaively(cell))
    }
  })

  test('a cell does not see what an earlier, longer cell left behind', () => {
    decodeAspects(`${base64('n')}:${base64('vvvv')};${'QQ==:QQ==;'.repeat(20)}`)
    for (const cut of ['QQ', 'QQ=', 'QUI', 'Q', 'QUJD:Q'])
      expect(refusal(cut).code).toBe('CELL_INVALID')
  })

  test.each([
    ['TA==|TQ==|bg==:dg==', 'a pipe that does not end a label'],
    ['bg==:dg==|dg==', 'a pipe that does not end a label'],
    ['bg==|dg==:dg==|dg==', 'a pipe that does not end a label'],
    ['bg==:dg==:dg==', 'two colons in a pair'],
    ['bg==:dg==;bg==', 'a pair without a colon'],
    ['TA==|;bg==:dg==', 'a pair without a colon'],
    ['bg==:dg==;TA==|', 'a pair without a colon'],
  ])('refuses %s: %s', (cell, reason) => {
    expect(refusal(cell)).toEqual({ code: 'CELL_INVALID', type: 'aspects', reason, excerpt: cell })
  })
})

describe('names only', () => {
  test('the form without a colon', () => {
    const names = [
      { label: null, name: 'Color', value: null },
      { label: null, name: 'Size', value: null },
    ]
    expect(decodeAspects('Q29sb3I=|U2l6ZQ==')).toEqual(names)
    expect(decodeAspects('Q29sb3I=|U2l6ZQ==;')).toEqual(names)
    expect(decodeAspects('U2l6ZQ==')).toEqual(names.slice(1))
  })

  test('any names come back', () => {
    fc.assert(
      fc.property(fc.array(texts.filter(Boolean), { minLength: 1 }), names => {
        expect(decodeAspects(names.map(base64).join('|'))).toEqual(
          names.map(name => ({ label: null, name, value: null })),
        )
      }),
    )
  })

  test.each([
    ['Q29sb3I=;U2l6ZQ==', 'a pair without a colon'],
    ['Q29sb3I=||U2l6ZQ==', 'an empty name'],
    ['|', 'an empty name'],
  ])('refuses %s: %s', (cell, reason) => {
    expect(refusal(cell).reason).toBe(reason)
  })
})

describe('fault 71: bad Base64', () => {
  test.each([
    ['UmV*', 'a character outside of the Base64 alphabet'],
    ['Um==VkZX', 'a misplaced = in Base64'],
    ['=UmVk', 'a misplaced = in Base64'],
    ['Um===', 'a misplaced = in Base64'],
    ['====', 'a misplaced = in Base64'],
    ['w7_Dvw-_', 'a character outside of the Base64 alphabet'],
    ['Um Vk', 'a character outside of the Base64 alphabet'],
    ['UmVkä', 'a character outside of the Base64 alphabet'],
    ['Ł', 'a character outside of the Base64 alphabet'],
    ['UmVkZ', 'Base64 whose length is not a multiple of four'],
    ['UmVkZA', 'Base64 whose length is not a multiple of four'],
    ['UmVkZA=', 'Base64 whose length is not a multiple of four'],
    ['=', 'Base64 whose length is not a multiple of four'],
    ['UmVkZB==', 'Base64 with stray bits after its last byte'],
    ['UmVkZGV=', 'Base64 with stray bits after its last byte'],
    ['/w==', 'Base64 of bytes that are not UTF-8'],
    ['w6TD', 'Base64 of bytes that are not UTF-8'],
    ['7aCA', 'Base64 of bytes that are not UTF-8'],
  ])('fault 71: %s is refused wherever it stands: %s', (piece, reason) => {
    const expected = { code: 'CELL_INVALID', type: 'aspects', reason, excerpt: piece }
    for (const cell of [
      `${piece}:UmVk`,
      `UmVk:${piece}`,
      `${piece}|UmVk:UmVk`,
      `UmVk:w6Q=;UmVk:${piece};`,
      `UmVk|${piece}`,
    ]) {
      expect(refusal(cell)).toEqual(expected)
    }
  })

  test('fault 71: a cell is read exactly when every piece is what an encoder would have written', () => {
    const pieces = fc.oneof(
      fc.string({ unit: fc.constantFrom('Q', 'U', 'g', '/', '=', '=', '-', '*', 'é', 'w') }),
      texts.map(base64),
    )
    const isStrict = (piece: string) => {
      const bytes = Buffer.from(piece, 'base64')
      return bytes.toString('base64') === piece && Buffer.from(bytes.toString('utf8')).equals(bytes)
    }
    fc.assert(
      fc.property(pieces, pieces, (name, value) => {
        const cell = `${name}:${value}`
        if (isStrict(name) && isStrict(value))
          expect(decodeAspects(cell)).toEqual(decodeNaively(cell))
        else expect(refusal(cell).code).toBe('CELL_INVALID')
      }),
      { numRuns: 500 },
    )
  })
})

test('fault 72: decoded text that contains colons, semicolons and pipes is kept', () => {
  const aspects = [
    { label: 'Maße; Gewicht', name: 'Ratio: w|h', value: '1:43; 1|2' },
    { label: 'Maße; Gewicht', name: ';', value: '|' },
    { label: ':', name: '::', value: 'a;b:c|d' },
  ]
  const [first, , last] = aspects
  expect(
    decodeAspects(`${encodePairs([first!])};${base64(';')}:${base64('|')};${encodePairs([last!])}`),
  ).toEqual(aspects)
  expect(decodeAspects(`${base64('a:b')}|${base64('c;d|e')}`).map(({ name }) => name)).toEqual([
    'a:b',
    'c;d|e',
  ])
})
