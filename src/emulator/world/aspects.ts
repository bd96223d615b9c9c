// The localizedAspects cell: six to nine name and value pairs under one or two labels, each piece Base64 on its own
// (document 2, "Encoding of localizedAspects"). Names and most values repeat over a file; their encoded form is made once.

import { DRAW } from './draws'
import { colorOf } from './groups'
import { between, mix, opaque, pick } from './hash'
import type { Item } from './item'
import { ADJECTIVES, BRANDS, COLORS, ENDINGS, FOREIGN, NOUNS } from './words'

interface Aspect {
  /** The encoded name and the colon after it. */
  readonly name: string
  readonly values: readonly string[]
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

function aspect(name: string, values: readonly string[]): Aspect {
  return { name: `${base64(name)}:`, values: values.map(base64) }
}

const numbers = (count: number, unit: string, step: number) => Array.from({ length: count }, (_, i) => `${(i + 1) * step} ${unit}`)

const FEATURES: readonly Aspect[] = [
  aspect('Material', [
    'Cotton',
    'Steel',
    'Oak',
    'Leather',
    'Plastic',
    'Brass',
    'Wool',
    'Edelstahl',
    'Ceramic',
    'Glass; tempered',
    'Ratio 1:87',
  ]),
  aspect('Type', NOUNS),
  aspect('Style', ADJECTIVES),
  aspect('Size', ['XS', 'S', 'M', 'L', 'XL', '38', '40', '42', '44', 'One Size', 'Größe 46']),
  aspect('Country/Region of Manufacture', ['China', 'Germany', 'Japan', 'United States', 'Italy', 'Österreich', 'Unknown']),
  aspect('Theme', ['Trains', 'Animals', 'Nature', 'Retro', 'Sports', 'Music|Film']),
  aspect(
    'Year Manufactured',
    Array.from({ length: 70 }, (_, i) => String(1955 + i)),
  ),
  aspect('Department', ['Men', 'Women', 'Unisex Adults', 'Kinder', 'Baby']),
]

const DIMENSIONS: readonly Aspect[] = [
  aspect('Item Height', numbers(60, 'cm', 2)),
  aspect('Item Width', numbers(60, 'cm', 3)),
  aspect('Item Weight', numbers(80, 'g', 25)),
]

const LABELS = ['Product Key Features', 'Product Identifiers', 'Item Specifics', 'Angaben für Käufer'].map(text => `${base64(text)}|`)
const DIMENSIONS_LABEL = `${base64('Dimensions')}|`
const COLOR_NAME = `${base64('Color')}:`
const BRAND_NAME = `${base64('Brand')}:`
const NOTE_NAME = `${base64('Seller Notes')}:`
const ENCODED_BRANDS = BRANDS.map(base64)
const ENCODED_COLORS: ReadonlyMap<string, string> = new Map(COLORS.map(color => [color, base64(color)]))

/** The encoded pair of the aspect that varies within groups. */
export function colorPair(color: string): string {
  return COLOR_NAME + (ENCODED_COLORS.get(color) ?? base64(color))
}

export function brandIndex(item: Item): number {
  return mix(item.key, DRAW.brand) % BRANDS.length
}

export function aspectsCell(item: Item): string {
  const shape = mix(item.key, DRAW.aspectShape)
  const first = mix(item.key, DRAW.aspects)
  // Some cells name no label at all, and some end in a semicolon.
  let cell = shape % 100 < 12 ? '' : pick(LABELS, shape >>> 8)
  cell += `${BRAND_NAME}${ENCODED_BRANDS[brandIndex(item)]!};${colorPair(colorOf(item.key))}`
  for (let i = 0; i < 4; i++) cell += `;${pair(FEATURES[(first + i * 3) % FEATURES.length]!, mix(first, i))}`
  if (shape % 100 >= 70) cell += `;${NOTE_NAME}${base64(note(item))}`
  if (shape % 100 >= 25) cell += `;${DIMENSIONS_LABEL}${dimensions(first)}`
  return shape % 100 >= 97 ? `${cell};` : cell
}

function dimensions(hash: number): string {
  return `${pair(DIMENSIONS[hash % 3]!, mix(hash, 10))};${pair(DIMENSIONS[(hash + 1) % 3]!, mix(hash, 11))}`
}

function pair(from: Aspect, hash: number): string {
  return from.name + pick(from.values, hash)
}

function note(item: Item): string {
  const hash = mix(item.key, DRAW.freeText)
  const foreign = hash % 8 === 0 ? ` ${pick(FOREIGN, hash >>> 4)}` : ''
  return `${pick(ADJECTIVES, hash)}, ${pick(ENDINGS, hash >>> 5)} no. ${between(hash, 1, 9_999)}${foreign} ${opaque(hash, 1)}`
}
