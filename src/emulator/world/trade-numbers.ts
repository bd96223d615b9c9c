// Numbers of the trade: Global Trade Item Numbers with their check digit, manufacturer's part
// numbers, catalog products. When the seller left a column empty, the inferred column beside it
// sometimes has a value.

import { DRAW } from './draws'
import { mix, opaque } from './hash'
import { type Item, modelOf } from './item'

/** Returns the number of an item. Items of a group have different numbers. */
export function gtin(item: Item): string {
  const hash = mix(item.key, DRAW.gtin)
  return hash % 100 < 60 ? tradeNumber(hash) : ''
}

export function inferredGtin(item: Item): string {
  const hash = mix(item.key, DRAW.inferred)
  return gtin(item) === '' && hash % 4 === 0 ? tradeNumber(hash) : ''
}

/** 13 digits, the last of which makes the weighted sum a multiple of ten (EAN-13). */
function tradeNumber(hash: number): string {
  const digits = `40${String(hash).padStart(10, '0')}`
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (digits.charCodeAt(i) - 48) * (i % 2 === 0 ? 1 : 3)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

export function mpn(item: Item): string {
  const hash = mix(item.modelKey, DRAW.mpn)
  return hash % 100 < 30 ? 'Does Not Apply' : hash % 100 < 80 ? partNumber(hash) : ''
}

export function inferredMpn(item: Item): string {
  const hash = mix(item.modelKey, DRAW.mpn)
  return hash % 100 >= 90 ? partNumber(hash) : ''
}

function partNumber(hash: number): string {
  return `${opaque(hash, 1).toUpperCase()}-${hash % 1000}`
}

export function epid(item: Item): string {
  const hash = mix(item.modelKey, DRAW.epid)
  return hash % 100 < 40 ? productNumber(hash) : ''
}

export function inferredEpid(item: Item): string {
  const hash = mix(item.modelKey, DRAW.epid)
  return hash % 100 >= 85 ? productNumber(hash) : ''
}

function productNumber(hash: number): string {
  return String(hash).padStart(10, '2')
}

export function brand(item: Item): string {
  const model = modelOf(item)
  return model.isBrandDeclared ? model.brand : ''
}

export function inferredBrand(item: Item): string {
  const model = modelOf(item)
  return model.isBrandDeclared ? '' : model.brand
}
