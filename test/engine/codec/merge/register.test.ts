import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../../../src/engine/codec/gzip/crc32'
import {
  type ChangeKind,
  judgeArrival,
  type RegisterHead,
} from '../../../../src/engine/codec/merge/register'
import type { Version } from '../../../../src/engine/codec/merge/version-order'

interface Arriving {
  readonly version: Version
  readonly content: string
}

const row = (timeMs: number, content: string): Arriving => ({
  version: { timeMs, removed: false, generatedMs: 0 },
  content,
})
const removal = (timeMs: number): Arriving => ({
  version: { timeMs, removed: true, generatedMs: 0 },
  content: '',
})

const head = ({ version, content }: Arriving): RegisterHead => ({
  version,
  checksum: version.removed ? 0 : crc32(Buffer.from(content)),
})

function judge(incoming: Arriving, stored?: Arriving) {
  if (stored === undefined) return judgeArrival(head(incoming), undefined, Number.NaN)
  const difference = Buffer.compare(Buffer.from(incoming.content), Buffer.from(stored.content))
  return judgeArrival(head(incoming), head(stored), difference)
}

describe('a row changes its register', () => {
  const cases: [string, Arriving, Arriving | undefined, ChangeKind, boolean][] = [
    ['a first row', row(1, 'a'), undefined, 'inserted', true],
    ['a first removal', removal(1), undefined, 'unchanged', true],
    ['a newer row', row(2, 'b'), row(1, 'a'), 'updated', true],
    ['a newer row of the same content', row(2, 'a'), row(1, 'a'), 'unchanged', true],
    ['the same row', row(1, 'a'), row(1, 'a'), 'unchanged', false],
    ['an older row', row(1, 'a'), row(2, 'b'), 'stale', false],
    ['an older row of the same content', row(1, 'a'), row(2, 'a'), 'stale', false],
    ['a row of the same version, larger', row(1, 'b'), row(1, 'a'), 'updated', true],
    ['a row of the same version, smaller', row(1, 'a'), row(1, 'b'), 'stale', false],
    ['a newer removal', removal(2), row(1, 'a'), 'deleted', true],
    ['a removal of the same time', removal(1), row(1, 'a'), 'deleted', true],
    ['an older removal', removal(1), row(2, 'a'), 'stale', false],
    ['a repeated removal', removal(1), removal(1), 'unchanged', false],
    ['a newer removal of what is removed', removal(2), removal(1), 'unchanged', true],
    ['a newer row after a removal', row(2, 'a'), removal(1), 'inserted', true],
    ['a row as old as the removal', row(1, 'a'), removal(1), 'stale', false],
  ]
  test.each(cases)('%s', (_, incoming, stored, kind, writes) => {
    expect(judge(incoming, stored)).toEqual({ kind, writes })
  })
})

test('the final row is the same in every order of the rows', () => {
  const arriving = fc.oneof(
    fc.tuple(fc.nat(2), fc.constantFrom('', 'a', 'b')).map(([time, text]) => row(time, text)),
    fc.nat(2).map(removal),
  )
  const winner = (rows: readonly Arriving[]) => {
    let stored: Arriving | undefined
    for (const incoming of rows) if (judge(incoming, stored).writes) stored = incoming
    return stored && [stored.version, stored.version.removed || stored.content]
  }
  fc.assert(
    fc.property(
      fc
        .array(arriving, { maxLength: 6 })
        .chain(rows =>
          fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
        ),
      ([rows, shuffled]) => {
        expect(winner([...shuffled, ...rows])).toEqual(winner(rows))
      },
    ),
  )
})
