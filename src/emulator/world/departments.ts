// Top-level categories and the leaf categories under them. A few known identifiers have their real
// names; any other number is a category too, with a name that follows from the number and the kinds
// of items of one of the known ones.

import { mixText } from './hash'
import type { Kind } from './kinds'
import * as kinds from './kinds'

/** A leaf category: the values of `categoryId` and `category`, and the kind of its items. */
export interface Leaf {
  readonly categoryId: string
  /** The names of all levels from the top-level category down, separated by pipes. */
  readonly path: string
  readonly kind: Kind
}

/** A top-level category. */
export interface Department {
  readonly name: string
  readonly leaves: readonly Leaf[]
}

const KNOWN: ReadonlyMap<string, readonly [name: string, kinds: readonly Kind[]]> = new Map([
  ['1', ['Collectibles', [kinds.POSTCARD, kinds.TRADING_CARD, kinds.VASE]]],
  [
    '220',
    [
      'Toys & Hobbies',
      [kinds.CARRIAGE, kinds.BOARD_GAME, kinds.PUZZLE, kinds.ACTION_FIGURE, kinds.TRADING_CARD],
    ],
  ],
  ['267', ['Books & Magazines', [kinds.BOOK, kinds.POSTCARD]]],
  ['281', ['Jewelry & Watches', [kinds.WATCH, kinds.RING]]],
  ['293', ['Consumer Electronics', [kinds.SPEAKER, kinds.TELEVISION, kinds.CHARGER]]],
  ['625', ['Cameras & Photo', [kinds.LENS, kinds.CAMERA]]],
  ['888', ['Sporting Goods', [kinds.YOGA_MAT, kinds.BICYCLE_BELL, kinds.SHOES]]],
  [
    '11450',
    ['Clothing, Shoes & Accessories', [kinds.T_SHIRT, kinds.SHOES, kinds.JACKET, kinds.SCARF]],
  ],
  [
    '11700',
    ['Home & Garden', [kinds.LAMP, kinds.VASE, kinds.WASHING_MACHINE, kinds.COFFEE, kinds.CLEANER]],
  ],
  ['15032', ['Cell Phones & Accessories', [kinds.SMARTPHONE, kinds.PHONE_CASE, kinds.CHARGER]]],
  ['26395', ['Health & Beauty', [kinds.PERFUME, kinds.CLEANER]]],
  ['131090', ['Vehicle Parts & Accessories', [kinds.TYRE, kinds.BRAKE_PADS, kinds.MOTOR_OIL]]],
] as const)

/** Returns the department of an identifier, which is the same in every world. */
export function departmentOf(categoryId: string): Department {
  const [name, chosen] = KNOWN.get(categoryId) ?? [
    `Category ${categoryId}`,
    derivedKinds(categoryId),
  ]
  return {
    name,
    leaves: chosen.map((kind, n) => ({
      categoryId: leafId(categoryId, n),
      path: `${name}|${kind.path}`,
      kind,
    })),
  }
}

function derivedKinds(categoryId: string): readonly Kind[] {
  const departments = [...KNOWN.values()]
  return departments[mixText(0, categoryId) % departments.length]![1]
}

/**
 * The identifier of a leaf is that of its top-level category and two more digits, so it is unique.
 */
function leafId(categoryId: string, n: number): string {
  return categoryId + String(n + 1).padStart(2, '0')
}
