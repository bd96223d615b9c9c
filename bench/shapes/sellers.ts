// The sellers of every file, the leaves of its category, and the conditions of its items.

import { type Draws, drawnOnce } from './draws'
import { WORDS } from './words'

/** What a seller has in all of its rows. */
export const SELLERS = drawnOnce(900, draws => ({
  username: `${draws.of(WORDS).toLowerCase()}${draws.below(1000)}`,
  percentage: `${draws.between(900, 999) / 10}`,
  score: `${draws.below(100_000)}`,
  trust: draws.of(['TOP_RATED', 'STANDARD']),
  accepts: flag(draws),
  days: draws.of(['14', '30', '60']),
  refund: draws.of(['MONEY_BACK', 'EXCHANGE']),
  returnMethod: draws.of(['REPLACEMENT', 'EXCHANGE']),
  payer: draws.of(['BUYER', 'SELLER']),
  delivery: draws.often(['SHIP_TO_HOME', 'SHIP_TO_HOME,IN_STORE_PICKUP']),
}))
export const LEAVES = drawnOnce(150, draws => ({
  path: draws.list(3, () => draws.of(WORDS)).join('|'),
  id: `${draws.between(10_000, 30_000)}`,
}))
export const CONDITIONS = ['New', 'Open box', 'Refurbished', 'Used', 'For parts'].map(
  (text, n) => ({
    id: `${n + 1}000`,
    text,
  }),
)

export function flag(draws: Draws): string {
  return draws.oneIn(2) ? 'true' : 'false'
}
