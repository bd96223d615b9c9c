// How DuckDB decodes the cells of the file in SQL: numbers, booleans and dates by its reader, lists,
// regions, aspects and descriptors by list functions. In its favour, a label is decoded where it
// stands, not carried on to the pairs after it.

import { expectedOfNumbers } from './plain-decoding'
import { aspectsText, plainAspects } from './typed-cells'

/** The types of the columns that DuckDB's reader does not take as text. */
export const DUCKDB_TYPES: Readonly<Record<string, string>> = {
  priceValue: 'DECIMAL(18, 2)',
  itemEndDate: 'TIMESTAMP',
  imageAlteringProhibited: 'BOOLEAN',
  returnsAccepted: 'BOOLEAN',
  estimatedAvailableQuantity: 'INTEGER',
  availabilityThreshold: 'INTEGER',
  returnPeriodValue: 'INTEGER',
}

const NESTED: Readonly<Record<string, string>> = {
  category: "string_split(category, '|')",
  buyingOptions: "string_split(buyingOptions, ',')",
  deliveryOptions: "string_split(deliveryOptions, ',')",
  shipToIncludedRegions: regions('shipToIncludedRegions'),
  shipToExcludedRegions: regions('shipToExcludedRegions'),
  localizedAspects: aspectList(),
  conditionDescriptors: descriptorList(),
}

/** What its cells are as text: prices are numbers, and labels stay where they stand. */
export function expectedOfDuckdb(column: string, cell: string): string {
  if (column === 'localizedAspects') return aspectsText(plainAspects(cell, false))
  return expectedOfNumbers(column, cell)
}

/** The columns of a selection that has every cell decoded. */
export function decodedColumns(columns: readonly string[]): string {
  return columns
    .map(column => (NESTED[column] === undefined ? column : `${NESTED[column]} AS ${column}`))
    .join(', ')
}

function regions(column: string): string {
  const lists = `countries := ${regionList(column, 'COUNTRY')}, regions := ${regionList(column, 'REGION')}`
  return `CASE WHEN ${column} IS NULL THEN NULL ELSE struct_pack(${lists}) END`
}

/** `COUNTRY:a|b;REGION:c|d;`, either part alone or both in this order. */
export function regionList(column: string, part: 'COUNTRY' | 'REGION'): string {
  const from = (position: number) =>
    `string_split(substr(split_part(${column}, ';', ${position}), ${part.length + 2}), '|')`
  const first = `WHEN starts_with(${column}, '${part}:') THEN ${from(1)}`
  const second = `WHEN contains(${column}, ';${part}:') THEN ${from(2)}`
  return `CASE ${first} ${part === 'REGION' ? second : ''} ELSE [] END`
}

/** `label|name:value;name:value;…`, each piece in Base64. */
export function aspectList(): string {
  const label = `label := CASE WHEN contains(pair, '|') THEN ${decoded(`split_part(pair, '|', 1)`)} END`
  const name = `name := ${decoded(`split_part(split_part(pair, '|', -1), ':', 1)`)}`
  const value = `value := ${decoded(`split_part(pair, ':', 2)`)}`
  return `list_transform(string_split(rtrim(localizedAspects, ';'), ';'), lambda pair: struct_pack(${label}, ${name}, ${value}))`
}

/** `name:value|value;name:value`, each piece in Base64. */
export function descriptorList(): string {
  const name = `name := ${decoded("split_part(entry, ':', 1)")}`
  const pieces = "string_split(split_part(entry, ':', 2), '|')"
  const values = `"values" := list_transform(${pieces}, lambda piece: ${decoded('piece')})`
  return `list_transform(string_split(conditionDescriptors, ';'), lambda entry: struct_pack(${name}, ${values}))`
}

function decoded(piece: string): string {
  return `decode(from_base64(${piece}))`
}
