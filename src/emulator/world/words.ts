// The words of titles and notes that fit any kind of item. The lists are small and repeat like real
// texts, because the compression of a file depends on them.

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

/** Pieces of titles outside ASCII, with characters of two, three and four bytes in UTF-8. */
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

/**
 * Pieces of titles that need quotes in a feed file, because they have quotes, backslashes or tabs.
 */
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
