// The words of a world. A plain world has one list of English words with some of other languages; a
// market has the language of its country: words made of two parts, names made of syllables, the
// names and values of aspects, and leaf categories that are called by these words. vocabulary.json
// has the parts. A market in a country without a language of its own there has British English.

import { base64, departmentOf, type Feature, type Kind, makeFeature, numbers, WORDS } from './goods'
import { mix, mixText, opaque, pick } from './hash'
import tables from './vocabulary.json'

/**
 * The last words of titles (`endings`, in a market a prime number of them, so that every step visits
 * all), text outside ASCII (`foreign`), text that the TSV dialect must quote (`quoted`), what stands
 * in the place of a part number, and the parts of cells of aspects, encoded.
 */
export const PLAIN_VOCABULARY = {
  ...WORDS,
  ...encodedParts(WORDS.labels, name => name),
  noNumber: 'Does Not Apply',
}

type Table = Record<'first' | 'last' | 'adjectives' | 'endings' | 'labels' | 'quoted', string> &
  Record<'terms' | 'values' | 'names', Readonly<Record<string, string>>>

type Rule = 'names' | 'nouns' | 'codes' | readonly [number, number, number, string, string]

const RULES = tables.rules as unknown as Readonly<Record<string, Rule>>
const LANGUAGES: Readonly<Record<string, Table>> = tables.languages
const [STARTS, MIDDLES, ENDS, SIGNS] = [
  tables.starts.split(' '),
  tables.middles.split(' '),
  tables.ends.split(' '),
  tables.signs.split(' '),
]
/** The values of an aspect that has names, nouns or codes. */
const DRAWN_VALUES = 300
/** It has no factor in common with any number of nouns, so that steps of it visit all of them. */
const NOUN_STEP = 7_919
const BRANDS = 1_500
const [MIN_LEAVES, MORE_LEAVES] = [40, 80]
/** The share of all aspects that a leaf has, in hundredths. */
const ASPECTS_PERCENT = 30
/** The aspects in which the items of a listing differ. Together they have at least 24 values. */
const AXES = [['Color', 'Size'], ['Color', 'Size'], ['Color'], ['Compatible Model']]

/** Returns a name that could be a brand, a series or a person, the same in every language. */
export function inventedName(hash: number): string {
  const middle = (hash >>> 30) % 2 === 0 ? '' : pick(MIDDLES, hash >>> 12)
  return pick(STARTS, hash) + middle + pick(ENDS, hash >>> 18)
}

export type Language = ReturnType<typeof makeLanguage>

const made = new Map<string, Language>()

/** Returns the language of a country (ISO 3166-1 alpha-2). */
export function languageOf(country: string): Language {
  const known = (tables.languageOf as Readonly<Record<string, string>>)[country]
  const name = known ?? (country === 'US' ? 'US' : 'en')
  const found = made.get(name) ?? makeLanguage(LANGUAGES[name] ?? LANGUAGES.en!, name === 'US')
  made.set(name, found)
  return found
}

function makeLanguage(table: Table, isAmerican: boolean) {
  const [first, last] = [table.first.split(' '), table.last.split(' ')]
  const spelled = (text: string) =>
    isAmerican
      ? text
      : Object.entries(tables.british).reduce((now, [us, gb]) => now.replace(us, gb), text)
  const term = (text: string) => table.terms[text] ?? text
  const noun = (number: number) =>
    first[number % first.length]! + last[Math.floor(number / first.length) % last.length]!
  const drawn = { names: inventedName, nouns: noun, codes: modelCode }
  const valuesOf = (role: string): string[] => {
    const [values, rule] = [table.values[role], RULES[role]]
    if (values !== undefined)
      return values.split(' ').map(value => spelled(value.replaceAll('_', ' ')))
    if (typeof rule === 'string')
      return Array.from({ length: DRAWN_VALUES }, (_, n) => drawn[rule](mix(mixText(0, role), n)))
    const [from, step, count, american, metric] = rule!
    return numbers({ first: from, step, count, unit: isAmerican ? american : metric })
  }
  const aspect = (role: string, values: readonly string[]) =>
    makeFeature(spelled(table.names[role] ?? role), values, role)
  const features = [...Object.keys(table.values), ...Object.keys(RULES)].map(role =>
    aspect(role, valuesOf(role)),
  )
  return {
    adjectives: table.adjectives.split('|'),
    endings: table.endings.split('|'),
    foreign: SIGNS,
    quoted: table.quoted.split('|'),
    ...encodedParts(table.labels.split('|'), term),
    noNumber: term('Does Not Apply'),
    term: (text: string) => spelled(term(text)),
    /** Returns the noun of a number; the same as that of the number and the count of all nouns. */
    noun,
    features,
    sizes: tables.sizes.map(values => aspect('Size', values.split(' '))),
  }
}

/** Returns the number that a maker gives to a model. */
export function modelCode(hash: number): string {
  return opaque(hash, 1).toUpperCase()
}

/**
 * Returns the department of an identifier in the words of a language: its leaf categories, the most
 * frequent first. Their goods are those of the kinds of the department.
 */
export function marketDepartment(categoryId: string, language: Language) {
  const { name, leaves } = departmentOf(categoryId)
  const key = mixText(1, categoryId)
  const top = language.term(name)
  const brands = Array.from({ length: BRANDS }, (_, n) => inventedName(mix(key, n)))
  const leaf = (_: unknown, n: number) => {
    const noun = language.noun(key + n * NOUN_STEP)
    const base = leaves[n % leaves.length]!.kind
    const branch = language.noun(mix(key, mix(n, 0) % 9))
    return {
      categoryId: categoryId + String(n + 1).padStart(3, '0'),
      path: `${top}|${branch}|${noun}`,
      kind: { ...base, nouns: [noun], brands, ...leafAspects(mix(key, n), base, language) },
    }
  }
  return { name: top, leaves: Array.from({ length: MIN_LEAVES + (key % MORE_LEAVES) }, leaf) }
}

function leafAspects(key: number, base: Kind, language: Language): Pick<Kind, 'axes' | 'features'> {
  const axes = pick(AXES, key)
  const isWorn = base.features.some(({ role }) => role === 'Department')
  const features = language.features.filter(({ role }, n) =>
    role === 'Department' ? isWorn : mix(key, n) % 100 < ASPECTS_PERCENT && !axes.includes(role),
  )
  const named = (role: string): Feature =>
    role === 'Size'
      ? pick(language.sizes, key >>> 4)
      : language.features.find(feature => feature.role === role)!
  return { axes: axes.map(named), features }
}

function encodedParts(labels: readonly string[], term: (text: string) => string) {
  return {
    labels: labels.map(text => `${base64(text)}|`),
    brandName: `${base64(term('Brand'))}:`,
    noteName: `${base64(term('Seller Notes'))}:`,
  }
}
