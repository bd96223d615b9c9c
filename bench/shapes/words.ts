// Words that can be spoken, the same in every file, and their Base64 as cells of aspects have it.

import { drawnOnce } from './draws'

export const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const VOWELS = [...'aeiou']
const CONSONANTS = [...'bcdfghklmnprstvz']

export const WORDS = vocabulary(800, 3, 9)

export function vocabulary(words: number, least: number, most: number): string[] {
  return drawnOnce(words, draws => {
    const length = draws.between(least, most)
    let word = draws.letters(SMALL, 1).toUpperCase()
    while (word.length < length) word += draws.of(word.length % 2 === 1 ? VOWELS : CONSONANTS)
    return word
  })
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
