// Which file an error of a row names, where a source of the library knows it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { BadRow } from '../../../src/engine/codec/tsv/bad-row-report'
import { concat, pipeline } from '../../../src/engine/pipeline/pipeline'
import { int32, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import { FileSource } from '../../../src/engine/stages/file-source'
import { RangeFetcher } from '../../../src/engine/stages/range/range-fetcher'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import type { TsvRowParserOptions } from '../../../src/engine/stages/tsv-stage'
import { ScriptedTransport } from './scripted-transport'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-origin-'))
afterAll(() => rmSync(folder, { recursive: true }))

const schema = defineSchema({ name: 'stock', columns: { sku: text(), stock: int32() } })
const GOOD = 'sku\tstock\nA\t1\nB\t2\n'
const SHORT = 'sku\tstock\nA\t1\nB\n'
const WRONG = 'sku\tstock\nA\t1\nB\tmany\n'

const fileOf = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const good = fileOf('good.tsv', GOOD)
const short = fileOf('short.tsv', SHORT)
const wrong = fileOf('wrong.tsv', WRONG)

type Options = TsvRowParserOptions<typeof schema.columns>
const rowsOf = (path: string, options: Options = {}) =>
  pipeline(new FileSource(path)).to(new TsvRowParser({ schema, ...options }))

describe('an error of a row names its file', () => {
  test('a bad row, in its message too', async () => {
    await expect(rowsOf(short).toArray()).rejects.toMatchObject({
      code: 'TSV_ROW_SHORT',
      message: `${short}, row 2, line 3, byte 14: 1 cells in a file of 2 columns`,
      context: { file: short, row: 2 },
    })
  })

  test('a bad row that a function is told of, and a header line', async () => {
    const told: BadRow[] = []
    await rowsOf(short, { onBadRow: bad => void told.push(bad) }).toArray()
    expect(told[0]).toMatchObject({
      position: { file: short },
      error: { context: { file: short } },
    })
    const blank = fileOf('blank.tsv', '\n')
    await expect(rowsOf(blank).toArray()).rejects.toMatchObject({
      code: 'TSV_HEADER_INVALID',
      context: { file: blank },
    })
  })

  test.each<[string, Options]>([
    ['all columns', {}],
    ['some columns', { columns: ['stock'] }],
  ])('a bad cell that is read behind the pipeline, of a copied row too: %s', async (_, options) => {
    const [, bad] = await rowsOf(wrong, options).toArray()
    expect(bad?.position).toEqual({ row: 2, line: 3, byteOffset: 14, file: wrong })
    const error = expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ file: wrong, row: 2, column: 'stock' }),
    })
    expect(() => bad?.get('stock')).toThrow(error)
    expect(() => bad?.detach().get('stock')).toThrow(error)
  })

  test('a bad cell that a stage reads', async () => {
    const objects = pipeline(new FileSource(wrong)).to(new TsvObjectParser({ schema }))
    const decoded = rowsOf(wrong).to(new ColumnDecoder())
    for (const run of [objects, decoded])
      await expect(run.toArray()).rejects.toMatchObject({ context: { file: wrong } })
  })

  test('of several files the right one', async () => {
    await expect(
      concat([rowsOf(good), rowsOf(short), rowsOf(good)]).toArray(),
    ).rejects.toMatchObject({ context: { file: short } })
    const files = await concat([rowsOf(good), rowsOf(wrong)])
      .map(row => row.position.file)
      .toArray()
    expect(files).toEqual([good, good, wrong, wrong])
  })

  test('an address without its parameters', async () => {
    const url = 'https://user.test/stock.tsv?token=secret&sig=other'
    const transport = new ScriptedTransport(new TextEncoder().encode(SHORT))
    const run = pipeline(new RangeFetcher({ url, transport, retry: { patienceMs: 0 } }))
      .to(new ChunkReassembler())
      .to(new TsvRowParser({ schema }))
    const error = await run.toArray().catch(failure => failure)
    expect(error.context.file).toMatch(/^https:\/\/user\.test\/stock\.tsv/)
    expect(JSON.stringify([error.message, error.context])).not.toMatch(/secret|other/)
  })

  test('no file where the source knows none', async () => {
    const [row] = await pipeline([Buffer.from(GOOD)])
      .to(new TsvRowParser({ schema }))
      .toArray()
    expect(row?.position).toEqual({ row: 1, line: 2, byteOffset: 10 })
  })
})
