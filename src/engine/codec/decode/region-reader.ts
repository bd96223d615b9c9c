// Reads plainly good region cells straight from their bytes. lists.ts describes the form, and
// decodes every other cell. A feed has few countries and regions, so their texts are shared, even
// where no two rows have the same list of them.

import type { Regions } from '../../schema/values'
import { PIPE, SEMICOLON } from './base64-pieces'
import type { CellSource } from './cell-decoder'
import { ByteTable, hashWord } from './shared-cells'

const SPACE = 0x20
const LETTER_A = 0x41
const LETTERS = 26
const COUNTRY = [...Buffer.from('COUNTRY:')]
const REGION = [...Buffer.from('REGION:')]
/** There are some 250 countries and some dozens of regions. The table has 32 KiB. */
const NAMES = { entryBits: 10, maxKeyBytes: 32 }

export type RegionReader = (source: CellSource, start: number, end: number) => Regions | undefined

/**
 * Makes a reader with a table of its own. The reader returns the frozen regions of a cell, or
 * undefined where the cell is not plainly good.
 */
export function regionReader(): RegionReader {
  const names = new ByteTable<string>(NAMES)
  /** The codes of countries that were read, two letters each, which most names are. */
  const codes = new Array<string>(LETTERS * LETTERS).fill('')
  const none: readonly string[] = Object.freeze([])
  let stop = 0

  /** Reads the names up to the end of their part, where `stop` then is. */
  function readNames(
    { bytes, view }: CellSource,
    start: number,
    end: number,
  ): string[] | undefined {
    const texts: string[] = []
    for (let from = start; ; ) {
      let at = from + 2
      let byte = at < end ? bytes[at]! : SEMICOLON
      const mayBeCode = at <= end && (byte === PIPE || byte === SEMICOLON)
      const code = mayBeCode ? codeAt(bytes, from) : -1
      if (code >= 0) {
        if (codes[code] === '') codes[code] = String.fromCharCode(bytes[from]!, bytes[from + 1]!)
        texts.push(codes[code]!)
      } else {
        let hash = 0
        for (at = from; ; at++) {
          byte = at < end ? bytes[at]! : SEMICOLON
          if (byte === PIPE || byte === SEMICOLON) break
          // Space around a name does not belong to it, and other letters take more than a byte.
          if (byte <= SPACE || byte >= 0x80) return undefined
          hash = hashWord(hash, byte)
        }
        if (at > from) {
          let text = names.find(hash, view, from, at)
          if (text === undefined) {
            text = Buffer.from(bytes.subarray(from, at)).toString('latin1')
            names.keep(hash, view, from, at, text)
          }
          texts.push(text)
        }
      }
      if (byte === SEMICOLON) {
        stop = at
        return texts
      }
      from = at + 1
    }
  }

  return function readRegions(source, start, end) {
    let countries: readonly string[] | undefined
    let regions: readonly string[] | undefined
    for (let at = start; at < end; at = stop + 1) {
      const isCountry = hasLabel(source.bytes, at, end, COUNTRY)
      if (!isCountry && !hasLabel(source.bytes, at, end, REGION)) return undefined
      if ((isCountry ? countries : regions) !== undefined) return undefined
      const texts = readNames(source, at + (isCountry ? COUNTRY : REGION).length, end)
      if (texts === undefined) return undefined
      if (isCountry) countries = Object.freeze(texts)
      else regions = Object.freeze(texts)
    }
    return Object.freeze({ countries: countries ?? none, regions: regions ?? none })
  }
}

/** Returns the number of two capital letters, or a negative number for other bytes. */
function codeAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]! - LETTER_A
  const second = bytes[at + 1]! - LETTER_A
  return first >>> 0 < LETTERS && second >>> 0 < LETTERS ? LETTERS * first + second : -1
}

function hasLabel(bytes: Uint8Array, at: number, end: number, label: readonly number[]): boolean {
  if (at + label.length > end) return false
  for (let n = 0; n < label.length; n++) if (bytes[at + n] !== label[n]) return false
  return true
}
