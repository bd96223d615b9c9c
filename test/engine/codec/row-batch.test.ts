import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../../../src/engine/codec/row-batch'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { tsv } from '../../tsv-text'
import { Bad, outcome, plainly, rowOfCells, schema, types } from './any-cells'
import { READINGS, readingSo } from './tsv/reading'

function rowsOf(
  cells: readonly (readonly string[])[],
  names: readonly string[] = types,
): Row<typeof schema.columns>[] {
  const parser = new TsvParser({ schema })
  return [...parser.push(Buffer.from(tsv([names, ...cells]))), ...parser.end()].flatMap(batch => [
    ...batch,
  ])
}

describe('typed cells', () => {
  test('every cell has the value of its decoded text, read once or again, quoted or not', () => {
    fc.assert(
      fc.property(fc.array(rowOfCells, { minLength: 1, maxLength: 6 }), cells => {
        for (const _ of ['from bytes', 'from what was kept of them']) {
          rowsOf(cells).forEach((row, n) => {
            types.forEach((type, column) => {
              const expected = plainly(type, cells[n]![column]!)
              expect(outcome(() => row.get(type))).toEqual(
                type === 'text' && expected === '' ? null : expected,
              )
            })
          })
        }
      }),
      { numRuns: 150 },
    )
  })

  test('an object has the same values, or fails with the first bad cell and its position', () => {
    fc.assert(
      fc.property(rowOfCells, cells => {
        const [row] = rowsOf([cells])
        const bad = types.find(type => outcome(() => row!.get(type)) instanceof Bad)
        if (bad === undefined)
          expect(row!.toObject()).toEqual(
            Object.fromEntries(types.map(type => [type, row!.get(type)])),
          )
        else
          expect(() => row!.toObject()).toThrow(
            expect.objectContaining({
              context: expect.objectContaining({ column: bad, row: 1, line: 2 }),
            }),
          )
      }),
    )
  })

  test.each(READINGS)(
    'quotes around nothing are an empty cell for every reader (%s)',
    async way => {
      const rowsWith = (cell: string) => {
        const parser = new TsvParser({ schema })
        const file = Buffer.from(
          `${types.join('\t')}\tother\n${types.map(() => cell).join('\t')}\t${cell}\n`,
        )
        const read = () => [...parser.push(file), ...parser.end()]
        return readingSo(way, read).flatMap(batch => [...batch])
      }
      const [quoted, plain] = ['""', ''].map(cell => rowsWith(cell)[0]!) as [
        Row<typeof schema.columns>,
        Row<typeof schema.columns>,
      ]
      for (const column of [...types, 'other']) {
        expect(quoted.get(column)).toBe(plain.get(column))
        expect(quoted.text(column)).toBe('')
      }
      expect([quoted.get('text'), quoted.get('other' as string)]).toEqual([null, null])
      expect(quoted.toObject()).toEqual(plain.toObject())
      expect(quoted.toObject(['text', 'other' as string])).toEqual({ text: null, other: null })
      expect(quoted.toStrings()).toEqual(plain.toStrings())
      expect([...quoted]).toEqual([...plain])
      expect(JSON.stringify(quoted)).toBe(JSON.stringify(plain))
      const bytes = Buffer.from('text\tother\n""\t""\n')
      for (const [values, empty] of [
        ['typed', null],
        ['text', ''],
      ] as const) {
        const parser = new TsvObjectParser({
          schema,
          columns: ['text', 'other' as string],
          values,
        })
        expect(await pipeline([bytes]).to(parser).toArray()).toEqual([
          { text: empty, other: empty },
        ])
      }
    },
  )

  test('shared values cannot be changed: lists and regions are frozen, and dates and aspects belong to their row', () => {
    const cells = types.map(
      type =>
        ({ commaList: 'a,b', pipeList: 'a|b', regions: 'COUNTRY:DE;', aspects: 'QQ==:Qg==' })[
          type as string
        ] ?? '',
    )
    cells[types.indexOf('timestamp')] = '2024-01-01T00:00:00Z'
    const [one, two] = rowsOf([cells, cells])
    for (const type of ['commaList', 'pipeList', 'regions'] as const) {
      expect(two!.get(type)).toEqual(one!.get(type))
      expect(Object.isFrozen(one!.get(type))).toBe(true)
    }
    const { countries, regions } = one!.get('regions')!
    expect([Object.isFrozen(countries), Object.isFrozen(regions)]).toEqual([true, true])
    for (const type of ['timestamp', 'aspects'] as const) {
      expect(two!.get(type)).toEqual(one!.get(type))
      expect(two!.get(type)).not.toBe(one!.get(type))
    }
  })
})

describe('a choice of columns', () => {
  const [row] = rowsOf([['7', 'bad', 'x']], ['int32', 'decimal', 'extra'])

  test('reads these columns as typed values or text, and no others', () => {
    expect(row!.toObject(['extra' as string, 'int32', 'boolean'])).toEqual({
      extra: 'x',
      int32: 7,
      boolean: null,
    })
    expect(row!.toStrings(['extra' as string, 'decimal', 'boolean'])).toEqual({
      extra: 'x',
      decimal: 'bad',
      boolean: '',
    })
    expect(row!.toObject([])).toEqual({})
    expect(() => row!.toObject(['decimal'])).toThrow(
      expect.objectContaining({ code: 'CELL_INVALID' }),
    )
  })

  test('is refused where a column is unknown', () => {
    expect(() => row!.toObject(['nowhere' as string])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
    expect(() => row!.toStrings(['nowhere' as string])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
  })

  test('takes decoded columns from the batch', () => {
    const decoded = row!.batch.withDecoded(
      row!.batch.header.indexes.get('decimal')!,
      () => 'decoded',
    )
    expect(decoded.row(0).toObject(['decimal', 'int32'])).toEqual({ decimal: 'decoded', int32: 7 })
    expect(decoded.row(0).detach().toObject(['decimal', 'int32'])).toEqual({
      decimal: 'decoded',
      int32: 7,
    })
  })
})

describe('what console.log shows', () => {
  const cells = types.map(
    type =>
      ({ text: 'x'.repeat(200), int32: '7', decimal: '9,50', commaList: 'a,b,c,d,e,f,g' })[
        type as string
      ] ?? '',
  )

  test('prints the cells of a row that are not empty, shortened, and a bad cell as its error', () => {
    const [row] = rowsOf([cells])
    expect(inspect(row)).toMatch(
      /^Row \{\s+text: 'x{79}…',\s+int32: 7,\s+decimal: <CELL_INVALID: .*>,\s+commaList: \[[^\]]*… 2 more'[^\]]*\]\s+\}$/,
    )
    expect(inspect(row!.detach())).toBe(inspect(row))
    expect(inspect({ in: { some: { deep: row } } })).toContain('[Row]')
  })

  test('prints the counts of a batch', () => {
    const { batch } = rowsOf([cells, cells])[0]!
    const shown = `length: 2,\\s+columns: ${types.length},\\s+byteLength: ${batch.byteLength},\\s+confirmed: true`
    expect(inspect(batch)).toMatch(new RegExp(`^RowBatch \\{\\s+${shown}`))
    expect(inspect(batch.select(row => row.slot === 1))).toContain('length: 1')
  })
})
