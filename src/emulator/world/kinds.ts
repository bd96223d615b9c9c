// The kinds of items, as one table: the names and makers of items, their aspects and those that
// vary within a group, their prices and weights, and the columns for special goods that they fill.
// It knows nothing of marketplaces. It is one piece because it is one table.

import type { Feature } from './features'
import * as has from './features'

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

const words = (list: string) => list.split(', ')

const GENERAL: readonly Condition[] = [
  ['1000', 'New'],
  ['1000', 'New'],
  ['3000', 'Used'],
  ['1500', 'Open box'],
  ['2500', 'Seller refurbished'],
  ['7000', 'For parts or not working'],
]
const WORN: readonly Condition[] = [
  ['1000', 'New with tags'],
  ['1000', 'New with tags'],
  ['1500', 'New without tags'],
  ['3000', 'Pre-owned'],
]
const NEW: readonly Condition[] = [['1000', 'New']]
const KEPT: readonly Condition[] = [
  ['1000', 'New'],
  ['3000', 'Used'],
]
const CARDS: readonly Condition[] = [
  ['2750', 'Graded'],
  ['4000', 'Ungraded'],
]

const TOY_MAKERS = words(
  'Acorn & Finch, Altmark, Gantry, Kestrel, Orrin, Juniper Lane, Märklund, Pinewick',
)
const GAME_MAKERS = words('Acorn & Finch, Cadenza, Halden, Spielhof, Quillon, Foxglove Games')
const TECH = words(
  'Bluepeak, Corvalis, Vantage, Zephyr, Yamabuki, Nordvik, Solace, Nimbus Nine, Ōkawa',
)
const CLOTHIERS = words(
  'Lumière, Marlow, Tamarind, Westerly, Ferrano, Bergström, Harrow Lane, Søndag, Unbranded',
)
const HOUSEHOLD = words(
  'Ironleaf, Duomo, Röhm, Eastwick, Hearth & Loom, Unbranded, Villa Nove, Castellane',
)
const KITCHEN = words('Röhm, Duomo, Brühwerk, Caffè Sole, Ironleaf, Pinnacle Works')
const GARAGE = words('Gripwell, Torquay Motor, Reifenhaus, Vulcano, Pinnacle Works, Bremsal')
const JEWELLERS = words('Ferrano, Aurelie, Sterne & Co, Lumière, Clairval, Unbranded')
const OUTDOORS = words('Westerly, Nordvik, Peakline, Fjell, Trailhead Supply, Unbranded')
const PRESSES = words(
  'Harbour Press, Éditions du Lac, Lindenverlag, Old Mill Books, Meridian House',
)

const FLAMMABLE: Hazmat = {
  pictograms: ['GHS02', 'GHS07'],
  signalWord: 'DANGER',
  statements: ['H225', 'H319', 'H336'],
}
const IRRITANT: Hazmat = {
  pictograms: ['GHS07'],
  signalWord: 'WARNING',
  statements: ['H315', 'H319'],
}
const AQUATIC: Hazmat = {
  pictograms: ['GHS08', 'GHS09'],
  signalWord: 'WARNING',
  statements: ['H304', 'H411'],
}

interface Given
  extends Omit<Kind, 'nouns' | 'conditions' | 'traits'>,
    Partial<Pick<Kind, 'conditions' | 'traits'>> {
  readonly nouns: string
}

function kind({ nouns, conditions = GENERAL, traits = {}, ...given }: Given): Kind {
  return { ...given, nouns: words(nouns), conditions, traits }
}

export const CARRIAGE = kind({
  path: 'Trains & Railway|Carriages',
  nouns: 'Passenger Carriage, Freight Wagon, Tank Wagon, Dining Car, Locomotive',
  brands: TOY_MAKERS,
  axes: [has.COLOR],
  features: [has.SCALE, has.MATERIAL, has.YEAR, has.MADE_IN, has.POWER],
  cents: [500, 40_000],
  grams: [80, 1_200],
})
export const BOARD_GAME = kind({
  path: 'Games|Board Games',
  nouns: 'Board Game, Strategy Game, Dice Game, Word Game',
  brands: GAME_MAKERS,
  axes: [has.LANGUAGE],
  features: [has.PLAYERS, has.AGE_LEVEL, has.THEME, has.YEAR],
  cents: [300, 9_000],
  grams: [200, 2_500],
  conditions: KEPT,
})
export const PUZZLE = kind({
  path: 'Puzzles|Jigsaws',
  nouns: 'Jigsaw Puzzle, Panorama Puzzle, 3D Puzzle',
  brands: GAME_MAKERS,
  axes: [has.PIECES],
  features: [has.THEME, has.AGE_LEVEL, has.MADE_IN, has.YEAR],
  cents: [400, 6_000],
  grams: [150, 1_800],
  conditions: KEPT,
})
export const ACTION_FIGURE = kind({
  path: 'Action Figures|Figures',
  nouns: 'Action Figure, Robot Figure, Knight Figure',
  brands: TOY_MAKERS,
  axes: [has.COLOR],
  features: [has.AGE_LEVEL, has.THEME, has.YEAR, has.MADE_IN],
  cents: [200, 12_000],
  grams: [40, 700],
  traits: { lots: true },
})
export const TRADING_CARD = kind({
  path: 'Collectible Card Games|Single Cards',
  nouns: 'Trading Card, Dragon Card, Booster Card, Hero Card',
  brands: GAME_MAKERS,
  axes: [has.RARITY],
  features: [has.LANGUAGE, has.THEME, has.YEAR, has.MADE_IN],
  cents: [100, 90_000],
  grams: [5, 120],
  conditions: CARDS,
  traits: { card: true, authenticated: true },
})
export const SMARTPHONE = kind({
  path: 'Cell Phones|Smartphones',
  nouns: 'Smartphone, Dual SIM Smartphone',
  brands: TECH,
  axes: [has.STORAGE, has.COLOR],
  features: [has.CONNECTIVITY, has.YEAR, has.MADE_IN, has.WARRANTY],
  cents: [4_000, 110_000],
  grams: [150, 400],
  traits: { electronics: true, energyLabel: true },
})
export const PHONE_CASE = kind({
  path: 'Accessories|Cases & Covers',
  nouns: 'Phone Case, Wallet Cover, Bumper Case',
  brands: TECH,
  axes: [has.FITS_PHONE, has.COLOR],
  features: [has.MATERIAL, has.STYLE, has.FEATURES, has.PATTERN],
  cents: [150, 4_500],
  grams: [20, 150],
  conditions: NEW,
})
export const CHARGER = kind({
  path: 'Accessories|Chargers & Cables',
  nouns: 'Travel Charger, Charging Cable, Power Bank',
  brands: TECH,
  axes: [has.COLOR],
  features: [has.CONNECTIVITY, has.POWER, has.WARRANTY, has.MADE_IN],
  cents: [200, 8_000],
  grams: [30, 450],
  traits: { electronics: true, lots: true },
})
export const T_SHIRT = kind({
  path: 'Tops|T-Shirts',
  nouns: 'T-Shirt, Polo Shirt, Long Sleeve Top',
  brands: CLOTHIERS,
  axes: [has.COLOR, has.SIZE],
  features: [has.DEPARTMENT, has.FABRIC, has.PATTERN, has.STYLE],
  cents: [300, 9_000],
  grams: [100, 400],
  conditions: WORN,
})
export const SHOES = kind({
  path: 'Shoes|Athletic Shoes',
  nouns: 'Running Shoes, Trail Shoes, Sneakers',
  brands: CLOTHIERS,
  axes: [has.COLOR, has.SHOE_SIZE],
  features: [has.DEPARTMENT, has.FABRIC, has.STYLE, has.MADE_IN],
  cents: [900, 24_000],
  grams: [400, 1_400],
  conditions: WORN,
  traits: { authenticated: true },
})
export const JACKET = kind({
  path: 'Coats & Jackets|Jackets',
  nouns: 'Rain Jacket, Bomber Jacket, Denim Jacket',
  brands: CLOTHIERS,
  axes: [has.SIZE],
  features: [has.COLOR, has.DEPARTMENT, has.FABRIC, has.PATTERN, has.SEASON],
  cents: [1_200, 38_000],
  grams: [400, 2_000],
  conditions: WORN,
})
export const SCARF = kind({
  path: 'Accessories|Scarves',
  nouns: 'Wool Scarf, Shawl, Neckerchief',
  brands: CLOTHIERS,
  axes: [has.COLOR],
  features: [has.DEPARTMENT, has.FABRIC, has.PATTERN, has.SEASON],
  cents: [400, 12_000],
  grams: [80, 400],
  conditions: WORN,
})
export const SPEAKER = kind({
  path: 'Portable Audio|Speakers',
  nouns: 'Bluetooth Speaker, Shelf Speaker, Soundbar',
  brands: TECH,
  axes: [has.COLOR],
  features: [has.CONNECTIVITY, has.POWER, has.WARRANTY, has.MADE_IN],
  cents: [1_000, 60_000],
  grams: [300, 6_000],
  traits: { electronics: true },
})
export const TELEVISION = kind({
  path: 'TV & Video|Televisions',
  nouns: 'Television, Smart Television',
  brands: TECH,
  axes: [has.SCREEN],
  features: [has.COLOR, has.CONNECTIVITY, has.YEAR, has.WARRANTY],
  cents: [9_000, 180_000],
  grams: [4_000, 30_000],
  traits: { electronics: true, energyLabel: true },
})
export const LENS = kind({
  path: 'Lenses & Filters|Lenses',
  nouns: 'Camera Lens, Zoom Lens, Macro Lens',
  brands: TECH,
  axes: [has.MOUNT],
  features: [has.COLOR, has.YEAR, has.MADE_IN, has.WARRANTY],
  cents: [3_000, 160_000],
  grams: [150, 2_200],
})
export const CAMERA = kind({
  path: 'Digital Cameras|Compact Cameras',
  nouns: 'Compact Camera, System Camera',
  brands: TECH,
  axes: [has.COLOR],
  features: [has.CONNECTIVITY, has.YEAR, has.MADE_IN, has.WARRANTY],
  cents: [4_000, 190_000],
  grams: [200, 1_400],
  traits: { electronics: true },
})
export const LAMP = kind({
  path: 'Lamps & Lighting|Table Lamps',
  nouns: 'Table Lamp, Desk Lamp, Night Light',
  brands: HOUSEHOLD,
  axes: [has.COLOR],
  features: [has.MATERIAL, has.STYLE, has.POWER, has.FEATURES],
  cents: [800, 30_000],
  grams: [400, 5_000],
  traits: { energyLabel: true, electronics: true },
})
export const VASE = kind({
  path: 'Home Décor|Vases',
  nouns: 'Ceramic Vase, Floor Vase, Bud Vase',
  brands: HOUSEHOLD,
  axes: [has.COLOR],
  features: [has.MATERIAL, has.STYLE, has.PATTERN, has.YEAR, has.MADE_IN],
  cents: [400, 22_000],
  grams: [200, 6_000],
})
export const WASHING_MACHINE = kind({
  path: 'Major Appliances|Washing Machines',
  nouns: 'Washing Machine, Washer Dryer',
  brands: HOUSEHOLD,
  axes: [has.CAPACITY],
  features: [has.COLOR, has.FEATURES, has.WARRANTY, has.MADE_IN],
  cents: [18_000, 140_000],
  grams: [45_000, 90_000],
  traits: { energyLabel: true, electronics: true },
})
export const COFFEE = kind({
  path: 'Food & Beverages|Coffee',
  nouns: 'Coffee Beans, Ground Coffee',
  brands: KITCHEN,
  axes: [has.ROAST],
  features: [has.MADE_IN, has.FEATURES, has.STYLE],
  cents: [400, 6_000],
  grams: [250, 2_200],
  conditions: NEW,
  traits: { content: { unit: 'g', amounts: [250, 500, 1_000] } },
})
export const CLEANER = kind({
  path: 'Household Supplies|Cleaning Products',
  nouns: 'All-Purpose Cleaner, Glass Cleaner, Bathroom Cleaner',
  brands: HOUSEHOLD,
  axes: [has.SCENT],
  features: [has.MADE_IN, has.FEATURES, has.MATERIAL],
  cents: [250, 3_000],
  grams: [400, 5_500],
  conditions: NEW,
  traits: { content: { unit: 'ml', amounts: [500, 750, 1_000, 5_000] }, hazmat: IRRITANT },
})
export const TYRE = kind({
  path: 'Wheels, Tyres & Parts|Tyres',
  nouns: 'Car Tyre, Van Tyre',
  brands: GARAGE,
  axes: [has.TYRE_SIZE],
  features: [has.SEASON, has.YEAR, has.MADE_IN, has.FEATURES],
  cents: [3_500, 26_000],
  grams: [6_000, 14_000],
  conditions: KEPT,
  traits: { tyre: true },
})
export const BRAKE_PADS = kind({
  path: 'Car Parts|Brake Pads',
  nouns: 'Brake Pads, Brake Discs',
  brands: GARAGE,
  axes: [has.POSITION],
  features: [has.MATERIAL, has.MADE_IN, has.WARRANTY, has.YEAR],
  cents: [900, 18_000],
  grams: [500, 9_000],
  conditions: KEPT,
})
export const MOTOR_OIL = kind({
  path: 'Oils & Fluids|Engine Oils',
  nouns: 'Engine Oil, Gear Oil',
  brands: GARAGE,
  axes: [has.VISCOSITY],
  features: [has.MADE_IN, has.SEASON, has.FEATURES],
  cents: [800, 9_000],
  grams: [950, 5_600],
  conditions: NEW,
  traits: { content: { unit: 'ml', amounts: [1_000, 4_000, 5_000] }, hazmat: AQUATIC },
})
export const WATCH = kind({
  path: 'Watches|Wristwatches',
  nouns: 'Wrist Watch, Chronograph, Dress Watch',
  brands: JEWELLERS,
  axes: [has.COLOR],
  features: [has.DEPARTMENT, has.METAL, has.YEAR, has.STYLE],
  cents: [1_500, 250_000],
  grams: [60, 350],
  traits: { authenticated: true },
})
export const RING = kind({
  path: 'Fine Jewelry|Rings',
  nouns: 'Signet Ring, Band Ring, Cocktail Ring',
  brands: JEWELLERS,
  axes: [has.RING_SIZE],
  features: [has.METAL, has.DEPARTMENT, has.STYLE, has.MADE_IN],
  cents: [800, 120_000],
  grams: [5, 60],
  conditions: WORN,
})
export const YOGA_MAT = kind({
  path: 'Fitness|Yoga Mats',
  nouns: 'Yoga Mat, Exercise Mat',
  brands: OUTDOORS,
  axes: [has.COLOR],
  features: [has.MATERIAL, has.PATTERN, has.FEATURES, has.MADE_IN],
  cents: [700, 9_000],
  grams: [600, 2_500],
  conditions: KEPT,
})
export const BICYCLE_BELL = kind({
  path: 'Cycling|Bells & Horns',
  nouns: 'Bicycle Bell, Bicycle Horn',
  brands: OUTDOORS,
  axes: [has.COLOR],
  features: [has.MATERIAL, has.STYLE, has.YEAR, has.MADE_IN],
  cents: [250, 4_000],
  grams: [30, 300],
})
export const POSTCARD = kind({
  path: 'Postcards|Topographical',
  nouns: 'Postcard, Picture Postcard, Greeting Card',
  brands: PRESSES,
  axes: [has.THEME],
  features: [has.YEAR, has.LANGUAGE, has.STYLE, has.MADE_IN],
  cents: [100, 4_000],
  grams: [5, 60],
  conditions: KEPT,
  traits: { lots: true },
})
export const PERFUME = kind({
  path: 'Fragrances|Eau de Toilette',
  nouns: 'Eau de Toilette, Cologne, Body Mist',
  brands: JEWELLERS,
  axes: [has.SCENT],
  features: [has.DEPARTMENT, has.FEATURES, has.MADE_IN],
  cents: [900, 16_000],
  grams: [120, 600],
  conditions: NEW,
  traits: { content: { unit: 'ml', amounts: [30, 50, 100] }, hazmat: FLAMMABLE },
})
export const BOOK = kind({
  path: 'Books|Nonfiction & Fiction',
  nouns: 'Novel, Guide Book, Cook Book, Anthology',
  brands: PRESSES,
  axes: [has.BINDING],
  features: [has.LANGUAGE, has.GENRE, has.YEAR, has.AGE_LEVEL],
  cents: [100, 6_000],
  grams: [100, 1_500],
  conditions: KEPT,
})
