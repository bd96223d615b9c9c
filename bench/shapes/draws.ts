// Draws from a seed: the same numbers on every machine and Node version.

const RANGE = 2 ** 32

export class Draws {
  #state: number

  constructor(seed: number) {
    // A xorshift generator never leaves the state zero. The first numbers of close seeds are alike.
    this.#state = Math.imul(seed, 0x9e3779b1) | 1
    for (let n = 0; n < 8; n++) this.below(2)
  }

  /** A whole number from 0 to one less than `end`. */
  below(end: number): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return Math.floor(((state >>> 0) / RANGE) * end)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True once in so many draws. */
  oneIn(times: number): boolean {
    return this.below(times) === 0
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }

  /** Draws early choices far more often than late ones: the first tenth is near half of all draws. */
  often<T>(choices: readonly T[]): T {
    const share = this.below(RANGE) / RANGE
    return choices[Math.floor(share * share * share * choices.length)]!
  }

  list<T>(length: number, make: () => T): T[] {
    return Array.from({ length }, make)
  }

  letters(alphabet: string, length: number): string {
    let text = ''
    while (text.length < length) text += alphabet[this.below(alphabet.length)]
    return text
  }
}

/** The same list in every file, whatever its seed. */
export function drawnOnce<T>(count: number, make: (draws: Draws) => T): T[] {
  const draws = new Draws(count)
  return draws.list(count, () => make(draws))
}
