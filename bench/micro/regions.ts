// shipToIncludedRegions cells to countries and regions.

import { decodeRegions } from '../../src/engine/codec/kinds/regions'
import { cellCase } from './cell-case'

const PART_NAME = /(COUNTRY|REGION):/g
const ENTRY = /[^|;]+/g

export const regions = cellCase({
  name: 'regions',
  column: 'shipToIncludedRegions',
  decode: decodeRegions,
  entries: ({ countries, regions: names }) => countries.length + names.length,
  entriesInText: cell => cell.replace(PART_NAME, '').match(ENTRY)?.length ?? 0,
})
