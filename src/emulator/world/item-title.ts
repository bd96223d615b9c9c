// The title of an item: its model's, then what it varies by, then words that the seller changes now and then.
// Two in a hundred end in something that the TSV dialect must quote.

import { DRAW } from './draws'
import { mix, pick } from './hash'
import { type Item, modelOf } from './item'
import { variationText } from './variations'
import { ENDINGS, SPECIAL } from './words'

export function itemTitle(item: Item): string {
  const ending = pick(ENDINGS, mix(mix(item.key, DRAW.titleChange), item.titleChanges))
  const version = item.titleChanges === 0 ? '' : ` v${item.titleChanges + 1}`
  const style = mix(item.key, DRAW.titleStyle)
  const after = style % 100 < 2 ? ` ${pick(SPECIAL, style >>> 8)}` : ''
  const model = modelOf(item)
  return `${model.title} ${variationText(model, item.position)} ${ending}${version}${after}`
}
