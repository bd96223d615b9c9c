import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedRows } from '../../../src/engine/codec/stored-rows'
import { type Dialect, defineSchema, pipeline, TsvRowParser, text } from '../../../src/index'

const schema = defineSchema({
  name: 'people',
  columns: { id: text(), mail: text({ aliases: ['e-mail'] }), town: text() },
})

/** A cell as a file has it, by rules that are written down here a second time. */
function written(cell: string, { delimiter, quoting }: Dialect): string {
  if (quoting === 'none') return cell.replaceAll(/[\t,"\n]/g, '_')
  if (!cell.includes(delimiter!) && !/["\n]/.test(cell)) return cell
  const escaped =
    quoting === 'doubled' ? cell.replaceAll('"', '""') : cell.replaceAll(/["\\]/g, '\\$&')
  return `"${escaped}"`
}

const cell = fc.stringMatching(/^[a-z,\té"\n ]{0,6}$/u)
const files = fc.record({
  headings: fc.constantFrom(
    ['id', 'mail', 'town'],
    ['Town', 'note', 'E-Mail', 'ID'],
    ['id', 'note', 'id', 'mail', 'e-mail'],
    ['note', 'id'],
  ),
  rows: fc.array(fc.array(cell, { minLength: 5, maxLength: 5 }), { maxLength: 6 }),
  dialect: fc.constantFrom<Dialect[]>(
    { delimiter: ',', quoting: 'doubled' },
    { delimiter: '\t', quoting: 'backslash' },
    { delimiter: ',', quoting: 'none' },
  ),
  hashed: fc.subarray(['mail', 'town']),
  salt: fc.constantFrom('', 'pepper'),
  keep: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
})

describe('the rows that are stored', () => {
  test('have the columns of the schema, hashes in place of cells, and their positions', async () => {
    await fc.assert(
      fc.asyncProperty(files, async ({ headings, rows, dialect, hashed, salt, keep }) => {
        const lines = rows.map(cells =>
          headings.map((_, n) => written(cells[n]!, dialect)).join(dialect.delimiter),
        )
        const file = Buffer.from([headings.join(dialect.delimiter), ...lines, ''].join('\n'))
        const parser = new TsvRowParser({ schema, dialect })
        const store = storedRows(hashed, salt)
        for await (const whole of pipeline([file]).to(parser).batches()) {
          let n = 0
          const given = whole.select(() => keep[n++] ?? true)
          const stored = store(given)
          const cells = (name: string, value: string) =>
            hashed.includes(name) && value !== ''
              ? createHash('sha256').update(`${salt}${value}`).digest('hex')
              : value
          const wanted = Array.from(given, row => {
            const known = Object.entries(row.toStrings()).filter(([name]) => name in schema.columns)
            return Object.fromEntries(known.map(([name, value]) => [name, cells(name, value)]))
          })
          expect(Array.from(stored, row => ({ ...row.toStrings() }))).toEqual(wanted)
          const places = (batch: typeof given) => Array.from(batch, row => row.position)
          expect(places(stored)).toEqual(places(given))
          expect(Array.from(stored, row => ({ ...row.detach().toStrings() }))).toEqual(wanted)
        }
      }),
    )
  })

  test('have no byte of the cells that are left out', async () => {
    const file = 'note\tid\tmail\tsecret-heading\nsecret-note\tA\tsecret-mail\tsecret-text\n'
    const parsed = pipeline([Buffer.from(file)]).to(new TsvRowParser({ schema }))
    for await (const batch of parsed.batches()) {
      const stored = storedRows(['mail'], '')(batch)
      expect(Buffer.from(stored.bytes.buffer).toString('latin1')).not.toContain('secret')
      expect(JSON.stringify(stored.header.all)).not.toContain('secret')
    }
  })
})
