// Cells of shipToIncludedRegions and shipToExcludedRegions (item-feeds.md, section 2.5), and cells
// of one part (service-notes.md, section 6.2).

import { is } from '../../options'
import type { Regions } from '../../schema/values'
import { structOf, TEXTS } from '../columns/arrow-type'
import { PIPE, SEMICOLON } from './base64-pieces'
import { type CellSource, invalidCell, type KindOfCells } from './kind-of-cells'
import { decodeList } from './list'
import { areTexts } from './object-parts'
import { ByteTable, hashWord, sharedReader } from './shared-cells'

const SPACE = 0x20
const LETTER_A = 0x41
const LETTERS = 26
const COUNTRY = [...Buffer.from('COUNTRY:')]
const REGION = [...Buffer.from('REGION:')]
/** There are some 250 countries and some dozens of regions. The table has 32 KiB. */
const NAMES = { entryBits: 10, maxKeyBytes: 32 }
/** Sellers repeat their lists, which have up to some 700 bytes. The table has 0.5 MiB. */
const REGIONS = { entryBits: 9, maxKeyBytes: 1024 }

export const regions: KindOfCells<Regions | null> = {
  decoder: {
    empty: null,
    decode: decodeRegions,
    read: /* @__PURE__ */ sharedReader(
      REGIONS,
      text => frozenRegions(decodeRegions(text)),
      /* @__PURE__ */ regionReader(),
    ),
  },
  arrow: /* @__PURE__ */ structOf({ countries: TEXTS, regions: TEXTS }),
  kernel: 'REGIONS',
  fromObject(value) {
    const { countries, regions } = value as Record<keyof Regions, unknown>
    return areTexts(countries) && areTexts(regions) ? value : undefined
  },
  readable: ({ countries, regions }) =>
    [
      ...(countries.length > 0 ? [`countries ${countries.join(', ')}`] : []),
      ...(regions.length > 0 ? [`regions ${regions.join(', ')}`] : []),
    ].join('; '),
}

function frozenRegions({ countries, regions }: Regions): Regions {
  return Object.freeze({ countries: Object.freeze(countries), regions: Object.freeze(regions) })
}

/**
 * Decodes `COUNTRY:<codes>;REGION:<names>;`, with pipes inside the lists. Either part may stand
 * alone or be empty, the parts may come in any order, and the last semicolon may be missing. Names
 * stay as the feed has them, unknown ones too. A repeated part is refused.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeRegions } from 'feedmill'
 *
 * const { countries, regions } = decodeRegions('COUNTRY:US|CA;REGION:EUROPE;')
 * console.log(countries, regions)
 * // => [ 'US', 'CA' ] [ 'EUROPE' ]
 * ```
 */
export function decodeRegions(text: string): Regions {
  is.anyText('text', text)
  let countries: readonly string[] | undefined
  let regions: readonly string[] | undefined
  const parts = text.endsWith(';') ? text.slice(0, -1) : text
  if (parts === '') return { countries: [], regions: [] }
  for (const part of parts.split(';')) {
    if (part.startsWith('COUNTRY:') && countries === undefined)
      countries = decodeList(part.slice('COUNTRY:'.length), '|')
    else if (part.startsWith('REGION:') && regions === undefined)
      regions = decodeList(part.slice('REGION:'.length), '|')
    else throw invalidCell('regions', 'expected COUNTRY:…; and REGION:…;, each at most once', text)
  }
  return { countries: countries ?? [], regions: regions ?? [] }
}

// Reads plainly good cells straight from their bytes. A feed has few countries and regions, so their
// texts are shared, even where no two rows have the same list of them.

type RegionReader = (source: CellSource, start: number, end: number) => Regions | undefined

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
