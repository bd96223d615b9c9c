// The axes: one or two aspects of the kind in which the items of a model differ. Each position in a
// group has a value, or a pair of values, of its own. With two axes the first takes two or three
// values and the second changes when those are used up.

import type { Feature } from './features'
import type { Model } from './models'

/** Returns the index of the value that the item at this position has on an axis. */
export function axisValue({ leaf, axisDraw }: Model, axis: number, position: number): number {
  const { axes } = leaf.kind
  const count = axes[axis]!.values.length
  const first = (axis === 0 ? axisDraw : axisDraw >>> 8) % count
  if (axes.length === 1) return (first + position) % count
  const breadth = 2 + ((axisDraw >>> 16) % 2)
  return (first + (axis === 0 ? position % breadth : Math.floor(position / breadth))) % count
}

/** Returns the variations in words, for the title. */
export function variationText(model: Model, position: number): string {
  return model.leaf.kind.axes
    .map((axis, n) => axis.values[axisValue(model, n, position)]!)
    .join(' ')
}

/** Returns the encoded pairs of an item. */
export function variationPairs(model: Model, position: number): string {
  return model.leaf.kind.axes
    .map((axis, n) => axis.encodedName + axis.encodedValues[axisValue(model, n, position)]!)
    .join(';')
}

/** Yields the positions below a number at which the first axis has a new value. */
export function* firstOfEachLook(model: Model, positions: number): Generator<number, void, void> {
  const seen = new Set<number>()
  for (let position = 0; position < positions; position++) {
    const value = axisValue(model, 0, position)
    if (!seen.has(value)) yield position
    seen.add(value)
  }
}

/**
 * Returns the cell variesByLocalizedAspects of a group: the encoded pairs of the axes whose values
 * differ among its positions. A group of one item names its first axis.
 */
export function variesByCell(model: Model, positions: number): string {
  const pairs: string[] = []
  model.leaf.kind.axes.forEach((axis, n) => {
    const values = new Set(
      Array.from({ length: positions }, (_, position) => axisValue(model, n, position)),
    )
    if (values.size > 1 || (positions === 1 && n === 0)) pairs.push(...pairsOf(axis, values))
  })
  return pairs.join(';')
}

function pairsOf(axis: Feature, values: Iterable<number>): string[] {
  return Array.from(values, value => axis.encodedName + axis.encodedValues[value]!)
}
