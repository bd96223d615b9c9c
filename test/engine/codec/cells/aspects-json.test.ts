import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { AspectsJson } from '../../../../src/engine/codec/cells/aspects-json'
import { hashBatch } from '../../../../src/engine/codec/cells/hash-batch'
import { type RowBatch, TsvRowParser } from '../../../../src/index'
import { tsv } from '../../../tsv-text'
import { decodedAspects, goodCell, oddCell } from '../aspects-cells'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** A batch whose second column has the cells. */
async function batchOf(cells: readonly string[]): Promise<RowBatch> {
  const parser = new TsvRowParser()
  parser.end(Buffer.from(tsv([['number', 'aspects'], ...cells.map((cell, n) => [`${n}`, cell])])))
  const [batch] = (await parser.collect()) as unknown as readonly RowBatch[]
  return batch!
}

function textOf(json: AspectsJson, { cells }: RowBatch, row: number, alignment = 0) {
  const text = json.textOf(cells.cellStart(row, 1), cells.cellEnd(row, 1), alignment)
  return text && Buffer.from(text).toString()
}

/** The text that a cell has to have; undefined for those that are left to the decoder. */
function expectedText(cell: string): string | undefined {
  const json = JSON.stringify(decodedAspects(cell) ?? [])
  return json === '[]' || json.includes('\\') ? undefined : json
}

test('a cell of pairs is the text that JSON.stringify makes of them, for any place of the copy', async () => {
  const cells = fc.array(goodCell, { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(cells, fc.nat(20), async (texts, alignment) => {
      const batch = await batchOf(texts)
      const json = new AspectsJson(batch)
      for (const [n, text] of texts.entries())
        expect(textOf(json, batch, n, alignment)).toBe(expectedText(text))
    }),
    { numRuns: 150 },
  )
})

test('any other cell has the text of its pairs, or none', async () => {
  const cells = fc.array(oddCell, { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(cells, async texts => {
      const batch = await batchOf(texts)
      const json = new AspectsJson(batch)
      for (const [n, text] of texts.entries()) {
        const found = textOf(json, batch, n)
        if (found !== undefined) expect(found).toBe(expectedText(text))
      }
    }),
    { numRuns: 150 },
  )
})

test('a reader whose block was replaced by another reader takes it again', async () => {
  const batches = [await batchOf(['QQ==:Qg==']), await batchOf(['Qw==:RA=='])]
  const readers = batches.map(batch => new AspectsJson(batch))
  for (let turn = 0; turn < 3; turn++) {
    for (const [n, name] of ['A', 'C'].entries())
      expect(textOf(readers[n]!, batches[n]!, 0)).toContain(`"name":"${name}"`)
    hashBatch(await batchOf(['x']))
  }
})

test('a cell with too many bytes of JSON is left to the decoder, and so is a batch that is too large', async () => {
  const short = 'QQ==:Qg=='
  const label = Buffer.from('l'.repeat(3_000)).toString('base64')
  const manyLabels = `${label}|${Array.from({ length: 20 }, () => short).join(';')}`
  const huge = `QQ==:${'QUFB'.repeat(80_000)}`
  const batch = await batchOf([short, manyLabels])
  const json = new AspectsJson(batch)
  expect(textOf(json, batch, 1)).toBeUndefined()
  expect(textOf(json, batch, 0)).toBe(expectedText(short))
  const large = await batchOf([huge])
  expect(textOf(new AspectsJson(large), large, 0)).toBeUndefined()
})

test('without WebAssembly every cell is left to the decoder', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const { AspectsJson: WithoutWasm } = await import(
    '../../../../src/engine/codec/cells/aspects-json'
  )
  const batch = await batchOf(['QQ==:Qg=='])
  expect(textOf(new WithoutWasm(batch), batch, 0)).toBeUndefined()
})
