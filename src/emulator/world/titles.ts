// Titles of items and groups. Some hold what the TSV dialect must quote, some text outside ASCII.

import { brandIndex } from './aspects'
import { DRAW } from './draws'
import { mix, pick } from './hash'
import type { Item } from './item'
import { ADJECTIVES, BRANDS, ENDINGS, FOREIGN, NOUNS, SPECIAL } from './words'

export function itemTitle(item: Item): string {
  const words = mix(item.key, DRAW.titleWords)
  const ending = pick(ENDINGS, mix(mix(item.key, DRAW.titleChange), item.titleChanges))
  const version = item.titleChanges === 0 ? '' : ` v${item.titleChanges + 1}`
  const style = mix(item.key, DRAW.titleStyle)
  const [before, after] = style % 100 < 2 ? ['', flourish(style)] : [flourish(style), '']
  return `${BRANDS[brandIndex(item)]!} ${pick(ADJECTIVES, words)} ${pick(NOUNS, words >>> 6)}${before} ${ending}${version}${after}`
}

export function groupTitle(key: number): string {
  const words = mix(key, DRAW.titleWords)
  return `${pick(BRANDS, words >>> 12)} ${pick(ADJECTIVES, words)} ${pick(NOUNS, words >>> 6)}${flourish(mix(key, DRAW.titleStyle))}`
}

/** Five titles in a hundred need quotes, two of them at their very end; twelve leave ASCII. */
function flourish(style: number): string {
  const share = style % 100
  if (share < 5) return ` ${pick(SPECIAL, style >>> 8)}`
  return share < 17 ? ` ${pick(FOREIGN, style >>> 8)}` : ` ${1 + ((style >>> 8) % 900)}`
}
