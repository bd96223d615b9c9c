// What a world sells: departments with their leaf categories, the kinds of items in them, and the
// words of titles. goods.json has the tables, and this file reads them. A few top-level categories
// have their real names; any other number is a category too, with a name that follows from the
// number and the kinds of one of the known ones.

import goods from './goods.json'
import { mixText } from './hash'

/** An aspect with its values, and their form in a cell (item-feeds.md, section 2.4). */
export type Feature = ReturnType<typeof makeFeature>

export interface Kind {
  /** The levels of its category below the top-level one, separated by a pipe. */
  readonly path: string
  readonly nouns: readonly string[]
  readonly brands: readonly string[]
  /**
   * One or two aspects that vary within a group. Together they have at least six different values
   * or pairs of values.
   */
  readonly axes: readonly Feature[]
  /** The aspects that all items of a group share. */
  readonly features: readonly Feature[]
  /** The range of prices, in hundredths of the currency. */
  readonly cents: readonly [low: number, high: number]
  readonly grams: readonly [low: number, high: number]
  readonly conditions: readonly Condition[]
  readonly traits: Traits
}

export type Condition = readonly [id: string, text: string]

/** The properties of a kind that fill columns which other kinds leave empty. */
export interface Traits {
  /**
   * Has a repair score, an eco participation fee and a take-back policy where the law requires
   * them.
   */
  readonly electronics?: true
  /** Has an energy efficiency class where the law requires one. */
  readonly energyLabel?: true
  readonly tyre?: true
  /** A graded or described card, which has condition descriptors. */
  readonly card?: true
  readonly hazmat?: Hazmat
  /** Goods that are sold by content, which have a unit price. */
  readonly content?: Content
  /** Goods that are sometimes sold in lots. */
  readonly lots?: true
  /** Goods that the service authenticates above a price. */
  readonly authenticated?: true
}

export interface Hazmat {
  readonly pictograms: readonly string[]
  readonly signalWord: string
  readonly statements: readonly string[]
}

export interface Content {
  readonly unit: 'g' | 'ml'
  readonly amounts: readonly number[]
}

/** The values of an aspect, as a list or as a range of numbers with their unit. */
interface GivenFeature {
  readonly name: string
  readonly values?: readonly string[]
  readonly range?: { first: number; step: number; count: number; unit: string }
}

/** A kind names its lists. */
interface GivenKind extends Omit<Kind, 'brands' | 'axes' | 'features' | 'conditions' | 'traits'> {
  readonly brands: keyof typeof goods.makers
  readonly axes: readonly string[]
  readonly features: readonly string[]
  readonly conditions: keyof typeof goods.conditions
  readonly traits?: Traits
}

/**
 * The words of titles and notes that fit any kind of item. The lists are small and repeat like real
 * texts, because the compression of a file depends on them. `foreign` has characters of two, three
 * and four bytes in UTF-8; `quoted` has what needs quotes in a feed file.
 */
export const WORDS: Readonly<Record<keyof typeof goods.words, readonly string[]>> = goods.words

/** The gender and the age group for each value of the aspect Department. */
export const WEARERS = goods.wearers as unknown as Readonly<
  Record<string, readonly [gender: string, ageGroup: string]>
>

export const DIMENSIONS: readonly Feature[] = goods.dimensions.map(feature)

const FEATURES = mapped<GivenFeature, Feature>(goods.features, feature)

const KINDS = mapped(
  goods.kinds as unknown as Readonly<Record<string, GivenKind>>,
  ({ brands, axes, features, conditions, traits = {}, ...kind }): Kind => ({
    ...kind,
    brands: goods.makers[brands],
    axes: axes.map(name => FEATURES[name]!),
    features: features.map(name => FEATURES[name]!),
    conditions: goods.conditions[conditions] as unknown as readonly Condition[],
    traits,
  }),
)

/**
 * Returns the department of an identifier, a top-level category, with its leaf categories: their
 * `categoryId` and `category`, and the kind of their items. It is the same in every world.
 */
export function departmentOf(categoryId: string) {
  const { departments } = goods
  const known = departments.find(({ id }) => id === categoryId)
  const { kinds } = known ?? departments[mixText(0, categoryId) % departments.length]!
  const name = known?.name ?? `Category ${categoryId}`
  return {
    name,
    leaves: kinds.map((kindName, n) => {
      const kind = KINDS[kindName]!
      // Two digits more than the top-level category make a unique identifier.
      const leafId = categoryId + String(n + 1).padStart(2, '0')
      // The path has the names of all levels from the top-level category down.
      return { categoryId: leafId, path: `${name}|${kind.path}`, kind }
    }),
  }
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

function feature({ name, values, range }: GivenFeature): Feature {
  return makeFeature(name, values ?? numbers(range!))
}

/** The role is its English name, by which columns find it in every language. */
export function makeFeature(name: string, values: readonly string[], role = name) {
  // The colon stands after the name in a cell.
  return { name, role, values, encodedName: `${base64(name)}:`, encodedValues: values.map(base64) }
}

export function numbers({
  first,
  step,
  count,
  unit,
}: NonNullable<GivenFeature['range']>): string[] {
  return Array.from({ length: count }, (_, n) => `${first + n * step}${unit}`)
}

function mapped<T, U>(table: Readonly<Record<string, T>>, made: (row: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, made(row)]))
}
