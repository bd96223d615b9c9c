// The words of titles and notes that fit any kind of item. Small lists that repeat, as real ones
// do: how well a file compresses hangs on them.

export const ADJECTIVES: readonly string[] = [
  'Vintage',
  'Compact',
  'Heavy Duty',
  'Handmade',
  'Premium',
  'Portable',
  'Elegant',
  'Classic',
  'Lightweight',
  'Sturdy',
  'Limited Edition',
  'Special',
  'Popular',
  'Exclusive',
  'Professional',
  'Soft Touch',
  'Universal',
  'Slim',
  'Reliable',
  'Deluxe',
]

export const ENDINGS: readonly string[] = [
  'Gift Idea',
  'Fast Dispatch',
  'for Home and Office',
  'with Case',
  'Original',
  'with Manual',
  'Boxed',
  'Open to Offers',
  'Clearance',
  'Top Quality',
  'Limited Stock',
  'from Stock',
  'Same Day Dispatch',
  'Shop Stock',
  'Best Price',
  'Ready to Send',
]

/** Pieces of titles outside ASCII: two, three and four bytes a character in UTF-8. */
export const FOREIGN: readonly string[] = [
  'Größe XL',
  'Café Crème',
  'für Küche & Büro',
  '日本製',
  'Ω-Serie',
  '★ Top ★',
  'édition spéciale',
  'Ελλάδα',
  '🎁 Gift',
  'Москва',
  '½ Zoll',
  'naïve',
]

/** Pieces of titles that must be quoted in a feed file: quotes, backslashes, tabs. */
export const SPECIAL: readonly string[] = [
  '15" Wide',
  '"As New"',
  'AC\\DC',
  'C:\\',
  'Size\tM',
  '7" \\ 18 cm',
  '\\"rare\\"',
  'Lot\t"A"',
  'ends in \\',
]
