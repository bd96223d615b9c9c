// The aspects that items have, each with its possible values: their meaning and their Base64 form,
// which is made once. kinds.ts says which kind of item has which aspects.

/** An aspect with its values, and their form in a cell (item-feeds.md, section 2.4). */
export interface Feature {
  readonly name: string
  readonly values: readonly string[]
  /** The encoded name with the colon after it. */
  readonly encodedName: string
  readonly encodedValues: readonly string[]
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

function feature(name: string, values: readonly string[]): Feature {
  return { name, values, encodedName: `${base64(name)}:`, encodedValues: values.map(base64) }
}

const words = (list: string) => list.split(', ')
const numbers = (count: number, unit: string, step: number) =>
  Array.from({ length: count }, (_, i) => `${(i + 1) * step} ${unit}`)

export const COLOR = feature(
  'Color',
  words(
    'Black, White, Red, Blue, Green, Königsblau, Silver, Gold, Beige, Brown, Multicolor, Türkis, Grey, Rosé, Orange, Clear',
  ),
)
export const SIZE = feature('Size', [
  'XS',
  'S',
  'M',
  'L',
  'XL',
  'XXL',
  '3XL',
  'Größe 46',
  'Größe 48',
])
export const SHOE_SIZE = feature('Size', words('36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46'))
export const RING_SIZE = feature('Size', words('48, 50, 52, 54, 56, 58, 60, 62'))
export const LANGUAGE = feature(
  'Language',
  words('English, German, French, Italian, Spanish, Dutch, Français (Canada), 日本語'),
)
export const PIECES = feature(
  'Number of Pieces',
  words('100, 200, 500, 750, 1000, 1500, 2000, 3000'),
)
export const RARITY = feature(
  'Rarity',
  words('Common, Uncommon, Rare, Holo Rare, Ultra Rare, Secret Rare, Promo'),
)
export const STORAGE = feature(
  'Storage Capacity',
  words('32 GB, 64 GB, 128 GB, 256 GB, 512 GB, 1 TB'),
)
export const FITS_PHONE = feature(
  'Compatible Model',
  words('Orbit 5, Orbit 6, Orbit 6 Plus, Nova S, Nova S Max, Pixel Row 3, Vela 9'),
)
export const SCREEN = feature(
  'Screen Size',
  words('24 in, 32 in, 40 in, 43 in, 50 in, 55 in, 65 in, 75 in'),
)
export const MOUNT = feature(
  'Mount',
  words('Type E, Type F, Type K, Type M, Type X, Micro 4/3, M42'),
)
export const CAPACITY = feature('Capacity', words('6 kg, 7 kg, 8 kg, 9 kg, 10 kg, 11 kg'))
export const ROAST = feature(
  'Flavor',
  words('Light Roast, Medium Roast, Dark Roast, Espresso, Decaffeinated, Café Crème'),
)
export const SCENT = feature(
  'Scent',
  words('Lemon, Lavender, Rose, Ocean, Vanilla, Unscented, Citron vert'),
)
export const TYRE_SIZE = feature(
  'Tyre Size',
  words('175/65 R14, 185/60 R15, 195/65 R15, 205/55 R16, 225/45 R17, 225/40 R18, 245/40 R19'),
)
export const POSITION = feature(
  'Placement on Vehicle',
  words('Front, Rear, Front Left, Front Right, Rear Left, Rear Right'),
)
export const VISCOSITY = feature('Viscosity', words('0W-20, 0W-30, 5W-30, 5W-40, 10W-40, 15W-40'))
export const BINDING = feature(
  'Format',
  words('Hardcover, Paperback, Spiral-Bound, Large Print, Audio CD, Leather Bound'),
)

export const FABRIC = feature(
  'Material',
  words('Cotton, Wool, Linen, Polyester, Silk, Viscose, Cashmere, Schurwolle'),
)
export const MATERIAL = feature('Material', [
  ...words('Steel, Oak, Leather, Plastic, Brass, Edelstahl, Ceramic, Aluminium, Bamboo, Rubber'),
  'Glass; tempered',
])
export const METAL = feature(
  'Material',
  words('Sterling Silver, Yellow Gold, White Gold, Titanium, Stainless Steel, Rose Gold'),
)
export const DEPARTMENT = feature(
  'Department',
  words('Men, Women, Unisex Adults, Boys, Girls, Baby'),
)
export const PATTERN = feature(
  'Pattern',
  words('Solid, Striped, Floral, Check, Polka Dot, Paisley, Kariert'),
)
export const STYLE = feature(
  'Style',
  words('Modern, Classic, Retro, Industrial, Scandinavian, Art Déco, Casual, Rustic'),
)
export const THEME = feature('Theme', [
  'Trains',
  'Animals',
  'Nature',
  'Retro',
  'Sports',
  'Space',
  'Music|Film',
])
export const AGE_LEVEL = feature(
  'Age Level',
  words('0-2 Years, 3-4 Years, 5-7 Years, 8-11 Years, 12-16 Years, 17 Years & Up'),
)
export const SCALE = feature('Scale', [
  'Ratio 1:87',
  'Ratio 1:160',
  'Ratio 1:32',
  'Ratio 1:220',
  'Ratio 1:43',
])
export const MADE_IN = feature(
  'Country/Region of Manufacture',
  words('China, Germany, Japan, United States, Italy, Österreich, France, Unknown'),
)
export const YEAR = feature(
  'Year Manufactured',
  Array.from({ length: 70 }, (_, i) => String(1955 + i)),
)
export const CONNECTIVITY = feature(
  'Connectivity',
  words('Bluetooth, Wired, Wi-Fi, USB-C, Bluetooth & Wi-Fi, HDMI'),
)
export const POWER = feature('Power Source', words('Battery, Mains, USB, Solar, Battery & Mains'))
export const FEATURES = feature(
  'Features',
  words('Adjustable, Foldable, Dimmable, Waterproof, Automatic, Cordless, Rutschfest'),
)
export const SEASON = feature('Season', words('Summer, Winter, All Seasons'))
export const WARRANTY = feature(
  'Manufacturer Warranty',
  words('None, 1 Year, 2 Years, 3 Years, 5 Years'),
)
export const PLAYERS = feature('Number of Players', words('1, 2, 2-4, 3-6, 4-8, 5+'))
export const GENRE = feature(
  'Genre',
  words('Fiction, Biography, Travel, Cooking, Science, Poésie, Geschichte'),
)

export const DIMENSIONS: readonly Feature[] = [
  feature('Item Height', numbers(60, 'cm', 2)),
  feature('Item Width', numbers(60, 'cm', 3)),
  feature('Item Weight', numbers(80, 'g', 25)),
]
