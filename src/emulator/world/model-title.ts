// The title of a model: a brand, what it makes, and a number or a flourish. It is the title of a group, and the titles of its
// items begin with it. Some hold what the TSV dialect must quote, some text outside ASCII.

import { DRAW } from './draws'
import { mix, pick } from './hash'
import { ADJECTIVES, FOREIGN, SPECIAL } from './words'

export function modelTitle(key: number, brand: string, nouns: readonly string[]): string {
  const words = mix(key, DRAW.titleWords)
  return `${brand} ${pick(ADJECTIVES, words)} ${pick(nouns, words >>> 6)}${flourish(mix(key, DRAW.titleStyle))}`
}

/** Three titles in a hundred get something to quote here; twelve leave ASCII. */
function flourish(style: number): string {
  const share = style % 100
  if (share < 3) return ` ${pick(SPECIAL, style >>> 8)}`
  return share < 15 ? ` ${pick(FOREIGN, style >>> 8)}` : ` ${1 + ((style >>> 8) % 900)}`
}
