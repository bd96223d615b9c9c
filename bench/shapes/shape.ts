// What a shape of item files is, and the shapes that there are. A shape says what is in a file from
// a seed and a number of items alone; data.ts writes it. A new shape is one file beside this one,
// and one entry here.

/** The cells of a row before any quoting, one for each of the columns. */
export type ShapeRow = readonly string[]

export interface Shape {
  /** How many items make 10^6 bytes before compression, about. */
  readonly itemsPerMb: number
  readonly columns: readonly string[]
  /** The rows of the file as the checks compare them: the cells never go through a parser. */
  rows(seed: number, items: number): Iterable<ShapeRow>
  /** The file before compression, header included, made anew on every call. */
  content(seed: number, items: number): Iterable<Uint8Array>
}

/** Each is loaded only by the processes that write or check a file of it. */
export const shapes = {
  repeating: async () => (await import('./repeating')).repeating,
  varied: async () => (await import('./varied')).varied,
  clothing: async () => (await import('./clothing')).clothing,
  art: async () => (await import('./art')).art,
  toys: async () => (await import('./toys')).toys,
  quoted: async () => (await import('./quoted')).quoted,
  unicode: async () => (await import('./unicode')).unicode,
  wide: async () => (await import('./wide')).wide,
  narrow: async () => (await import('./narrow')).narrow,
  odd: async () => (await import('./odd')).odd,
  'odd-bad': async () => (await import('./odd')).oddBad,
  'all-odd': async () => (await import('./odd')).allOdd,
} satisfies Record<string, () => Promise<Shape>>

export type ShapeName = keyof typeof shapes

export const SHAPE_NAMES = Object.keys(shapes) as ShapeName[]

/** The shapes on which every peer is measured. */
export const ALL_PEERS: ReadonlySet<ShapeName> = new Set<ShapeName>(['repeating', 'varied'])
