// The JSON of a row equals what JSON.stringify makes of its object, whatever its cells have.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectWithInvalid } from '../../../src/engine/codec/bad-cells'
import { JsonBuffer, writeRowJson } from '../../../src/engine/codec/row-json'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { PAUSE } from '../../../src/engine/core/steps'
import {
  aspects,
  boolean,
  decimal,
  int32,
  regions,
  text,
  timestamp,
} from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'

const columns = {
  title: text(),
  price: decimal(),
  stock: int32(),
  sold: boolean(),
  at: timestamp(),
  about: aspects(),
  where: regions(),
  lacking: aspects(),
}
const schema = defineSchema({ name: 'goods', columns })
const cell = fc.oneof(
  fc.constantFrom(
    '',
    '1.50',
    '-0',
    '007',
    'TRUE',
    '2026-03-01T07:00:00Z',
    'Q29sb3I=:UmVk;',
    '12,50',
  ),
  fc.constantFrom(
    'COUNTRY:US|CA;REGION:;',
    '"a ""quoted"" one"',
    '"a\\"b"',
    '\\',
    'ü',
    '\u2028',
    '😀',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter(words => !/[\t\n\r"]/.test(words)),
)
const names = ['title', 'price', 'stock', 'sold', 'at', 'about', 'where', 'own\\"']

test('for random cells, the JSON is that of the object', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(...names.map(() => cell)), { maxLength: 4 }), rows => {
      const content = [names, ...rows].map(cells => `${cells.join('\t')}\n`).join('')
      const parser = new TsvParser({ schema, file: { feed: 'item' }, onBadRow: 'skip' })
      const out = new JsonBuffer(1)
      for (const step of [...parser.steps(Buffer.from(content)), ...parser.lastSteps()]) {
        for (const row of step === PAUSE ? [] : step) {
          out.cutTo(0)
          writeRowJson(row, out)
          expect(out.view().toString()).toBe(JSON.stringify(objectWithInvalid(row)))
        }
      }
    }),
    { numRuns: 150 },
  )
})
