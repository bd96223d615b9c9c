import { describe, expect, test } from 'vitest'
import { Projections, projectionsOf } from '../../../src/engine/codec/projection'
import { RowCells } from '../../../src/engine/codec/row-cells'
import { bindHeader } from '../../../src/engine/codec/tsv/header'
import { int32, list, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'

const schema = defineSchema({
  name: 'other',
  columns: {
    id: text({ required: true }),
    count: int32(),
    tags: list(','),
  },
})
const header = bindHeader(schema, ['own', 'count', 'id'], { row: 0, line: 1, byteOffset: 0 })
const index = {
  columns: 3,
  rowStarts: Uint32Array.of(0),
  cellEnds: Int32Array.of(1, 3, 5),
  rowFlags: Uint8Array.of(0),
}
const cells = new RowCells(Buffer.from('x\t1\ti'), index, 1, header)

test('a header has one set of projections', () => {
  expect(projectionsOf(header)).toBe(projectionsOf(header))
  expect(projectionsOf({ ...header })).not.toBe(projectionsOf(header))
})

test('the projection of all columns has those of the file and those of the schema', () => {
  const { file, all } = new Projections(header)
  expect([...file.columns]).toEqual([0, 1, 2])
  expect(file.ofTexts(cells, 0)).toEqual({ own: 'x', count: '1', id: 'i' })
  expect(all.ofValues(['x', 1, 'i'])).toEqual({ own: 'x', count: 1, id: 'i', tags: [] })
})

describe('a projection of columns', () => {
  test('keeps its own order, has each name once, and gives empty cells for absent columns', () => {
    const projection = new Projections(header).of(['tags', 'id', 'own', 'id'])
    expect([...projection.columns]).toEqual([2, 0])
    expect(projection.ofValues(['i', 'x'])).toEqual({ id: 'i', own: 'x', tags: [] })
    expect(projection.ofTexts(cells, 0)).toEqual({ id: 'i', own: 'x', tags: '' })
  })

  test('is prepared once for equal lists of names, and does not follow later changes of a list', () => {
    const projections = new Projections(header)
    const names = ['id', 'own']
    const projection = projections.of(names)
    expect(projections.of(['id', 'own'])).toBe(projection)
    names.pop()
    expect(projections.of(names)).not.toBe(projection)
    expect([...projections.of(names).columns]).toEqual([2])
    expect(projections.of(['id', 'own'])).toBe(projection)
  })

  test('is right after more choices than are remembered', () => {
    const projections = new Projections(header)
    for (let n = 0; n < 200; n++) {
      const names = Array.from({ length: 1 + (n % 100) }, (_, at) =>
        at % 2 === 0 ? 'id' : 'count',
      )
      expect([...projections.of(names).columns]).toEqual(names.length === 1 ? [2] : [2, 1])
    }
  })

  test('of an unknown column is refused each time', () => {
    const projections = new Projections(header)
    for (let n = 0; n < 2; n++) {
      expect(() => projections.of(['id', 'nowhere'])).toThrow(
        expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
      )
    }
  })
})
