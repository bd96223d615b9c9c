// hyparquet-writer, fed with the typed objects of this package, its defaults (Snappy).

import type { SchemaElement } from 'hyparquet'
import { fileWriter, parquetWriteRows } from 'hyparquet-writer'
import { itemObjects } from './item-batches'
import { fileCase, headerColumns } from './macro-case'
import { outputCells, parquetRows } from './output-rows'
import { expectedOfNumbers } from './plain-decoding'

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
const WHOLE = { type: 'INT32', repetition_type: 'OPTIONAL' } as const
const FLAG = { type: 'BOOLEAN', repetition_type: 'OPTIONAL' } as const
const OPTIONAL = { repetition_type: 'OPTIONAL' } as const

const PRICE = {
  type: 'INT64',
  converted_type: 'DECIMAL',
  precision: 18,
  scale: 2,
  repetition_type: 'OPTIONAL',
} as const
const TIME = { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', ...OPTIONAL } as const

const KINDS: Readonly<Record<string, (name: string) => SchemaElement[]>> = {
  priceValue: name => [{ name, ...PRICE }],
  itemEndDate: name => [{ name, ...TIME }],
  imageAlteringProhibited: name => [{ name, ...FLAG }],
  returnsAccepted: name => [{ name, ...FLAG }],
  estimatedAvailableQuantity: name => [{ name, ...WHOLE }],
  availabilityThreshold: name => [{ name, ...WHOLE }],
  returnPeriodValue: name => [{ name, ...WHOLE }],
  category: texts,
  buyingOptions: texts,
  deliveryOptions: texts,
  shipToIncludedRegions: regions,
  shipToExcludedRegions: regions,
  localizedAspects: name =>
    listOf(name, [
      { name: 'element', ...OPTIONAL, num_children: 3 },
      { name: 'label', ...TEXT },
      { name: 'name', ...TEXT },
      { name: 'value', ...TEXT },
    ]),
  conditionDescriptors: name =>
    listOf(name, [
      { name: 'element', ...OPTIONAL, num_children: 2 },
      { name: 'name', ...TEXT },
      ...texts('values'),
    ]),
}

export const hyparquetWriter = fileCase({
  name: 'hyparquet-writer',
  contender: 'hyparquet-writer',
  title: 'parquetWriteRows of the objects of TsvObjectParser, its defaults (Snappy)',
  ours: false,
  cells: outputCells,
  expected: expectedOfNumbers,
  read: parquetRows,
  async run(path, output) {
    const names = await headerColumns(path)
    let rows = 0
    async function* objects() {
      for await (const batch of itemObjects(path, 'typed').batches())
        for (const object of batch) {
          rows++
          yield { ...object, priceValue: object.priceValue?.toNumber() ?? null }
        }
    }
    await parquetWriteRows({
      writer: fileWriter(output),
      rows: objects(),
      columns: names.map(name => ({ name })),
      schema: [
        { name: 'root', num_children: names.length },
        ...names.flatMap(name => KINDS[name]?.(name) ?? [{ name, ...TEXT }]),
      ],
    })
    return rows
  },
})

function texts(name: string): SchemaElement[] {
  return listOf(name, [{ name: 'element', ...TEXT }])
}

function regions(name: string): SchemaElement[] {
  const lists = [...texts('countries'), ...texts('regions')]
  return [{ name, ...OPTIONAL, num_children: 2 }, ...lists]
}

function listOf(name: string, element: readonly SchemaElement[]): SchemaElement[] {
  return [
    { name, ...OPTIONAL, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ]
}
