import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Checkpoint,
  readCheckpoint,
  writeCheckpoint,
} from '../../../src/sync/folder/checkpoint'

const bytes = fc.uint8Array({ maxLength: 200 }).map(array => Buffer.from(array))
const checkpoints: fc.Arbitrary<Checkpoint> = fc.record({
  sequence: fc.nat(),
  inflater: fc.record({
    members: fc.record({
      byteOffset: fc.nat(),
      dataBytes: fc.nat(),
      members: fc.nat(),
      memberCrc: fc.nat(),
      memberBytes: fc.nat(),
      outputBytes: fc.nat(),
    }),
    engine: bytes,
  }),
  parser: fc.record({
    headings: fc.array(fc.string()),
    byteOffset: fc.nat(),
    row: fc.nat(),
    line: fc.nat(),
    confinedUntil: fc.nat(),
    discarding: fc.boolean(),
    badRows: fc.nat(),
    replacedRows: fc.nat(),
    rest: bytes,
  }),
})

test('a checkpoint comes back as it was', () => {
  fc.assert(
    fc.property(checkpoints, checkpoint => {
      expect(readCheckpoint(writeCheckpoint(checkpoint))).toEqual(checkpoint)
    }),
  )
})

test('fault 80: a checkpoint that is cut, changed or of another kind is ignored', () => {
  fc.assert(
    fc.property(
      checkpoints,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (checkpoint, place, change) => {
        const whole = writeCheckpoint(checkpoint)
        const at = place % whole.length
        const changed = Buffer.from(whole)
        changed[at]! ^= change
        expect([readCheckpoint(whole.subarray(0, at)), readCheckpoint(changed)]).toEqual([
          undefined,
          undefined,
        ])
      },
    ),
  )
  expect(readCheckpoint(Buffer.from('something else that is long enough'))).toBeUndefined()
})
