// A well-formed file, random damage to it, and the parts of a file that a parser kept or left out.

import fc from 'fast-check'

export const COLUMNS = ['itemId', 'title', 'priceValue'] as const

const title = fc.oneof(
  fc.stringMatching(/^[a-z é€]{0,20}$/),
  // Quoted cells, also over several lines.
  fc.stringMatching(/^[a-z ]{0,6}(\n[a-z]{0,6}){0,2}$/).map(text => `"${text}"`),
)

/** The lines of a well-formed file, its header line first, each with its line end. */
export const wellFormed = fc
  .record({
    titles: fc.array(title, { minLength: 1, maxLength: 30 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
  })
  .map(({ titles, lineEnd, isEnded }) => {
    const rows = titles.map((text, n) => `v1|${n}|0\t${text}\t${n}.5`)
    const lines = [COLUMNS.join('\t'), ...rows].map(row => row + lineEnd)
    return isEnded ? lines : lines.with(-1, rows.at(-1)!)
  })

type Damage =
  | { readonly kind: 'flip'; readonly at: number; readonly byte: number }
  | { readonly kind: 'cut'; readonly at: number; readonly count: number }
  | { readonly kind: 'insert'; readonly at: number; readonly text: string }

/** Places are shares of the file behind its header line, in thousandths. */
export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('flip' as const),
      at: fc.nat(999),
      byte: fc.nat(255),
    }),
    fc.record({
      kind: fc.constant('cut' as const),
      at: fc.nat(999),
      count: fc.integer({ min: 1, max: 12 }),
    }),
    fc.record({
      kind: fc.constant('insert' as const),
      at: fc.nat(999),
      text: fc.constantFrom('"', '\t', '\n', '\r', '\\', '\t"', '\n\n', 'x'.repeat(300)),
    }),
  ),
  { maxLength: 6 },
)

/** Damages the bytes behind the header line. */
export function damaged(lines: readonly string[], damage: readonly Damage[]): Buffer {
  const header = Buffer.from(lines[0]!)
  let body = Buffer.from(lines.slice(1).join(''))
  for (const each of damage) {
    const at = Math.floor((each.at * body.length) / 1000)
    const [before, after] = [body.subarray(0, at), body.subarray(at)]
    if (each.kind === 'insert') body = Buffer.concat([before, Buffer.from(each.text), after])
    else if (each.kind === 'cut') body = Buffer.concat([before, after.subarray(each.count)])
    else if (after.length > 0)
      body = Buffer.concat([before, Buffer.of(each.byte), after.subarray(1)])
  }
  return Buffer.concat([header, body])
}

/** Cuts bytes at random places, into pieces of up to `most` bytes. */
export function* pieces(bytes: Uint8Array, most: number): Generator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += most) yield bytes.subarray(at, at + most)
}

/** A part of a file. */
export interface Part {
  readonly byteOffset: number
  readonly bytes: Uint8Array
}

/** The parts one behind the other. Fails where two of them overlap, or a gap is between them. */
export function joined(parts: readonly Part[]): Buffer {
  let at = 0
  const ordered = [...parts].sort((a, b) => a.byteOffset - b.byteOffset)
  for (const { byteOffset, bytes } of ordered) {
    if (byteOffset !== at) throw new RangeError(`a part begins at ${byteOffset} and not at ${at}`)
    at += bytes.length
  }
  return Buffer.concat(ordered.map(({ bytes }) => bytes))
}
