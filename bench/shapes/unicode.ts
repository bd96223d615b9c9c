// The rows of `varied` in other scripts: titles, aspects and descriptors of a row are Cyrillic,
// Greek or Japanese, letter by letter.

import { Draws } from './draws'
import { rowsShape } from './rows-shape'
import { varied } from './varied'
import { base64 } from './words'

const LATIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const SCRIPTS = [
  'абцдефгхийклмнопярстувшжызАБЦДЕФГХИЙКЛМНОПЯРСТУВШЖЫЗ',
  'αβχδεφγηιξκλμνοπψρστυθωζήςΑΒΧΔΕΦΓΗΙΞΚΛΜΝΟΠΨΡΣΤΥΘΩΖΉΆ',
  'あばくだえふぐひいじきるむのおぷけりすとうゔわしゆざ日月火水木金土山川田人口車門馬魚鳥花草石竹糸貝足雨米',
].map(script => new Map([...script].map((letter, n) => [LATIN[n]!, letter])))
const ENCODED = ['localizedAspects', 'conditionDescriptors']
const BASE64 = /[A-Za-z0-9+/=]+/g

export const unicode = rowsShape({
  bytesPerRow: 920,
  columns: varied.columns,
  quoted: ['title'],
  *rows(seed, count) {
    const draws = new Draws(seed)
    for (const cells of varied.rows(seed, count)) {
      const script = draws.of(SCRIPTS)
      const written = (text: string) => text.replace(/[a-z]/gi, letter => script.get(letter)!)
      const encoded = (piece: string) => base64(written(Buffer.from(piece, 'base64').toString()))
      yield cells.map((cell, n) => {
        const name = varied.columns[n]!
        if (name === 'title') return written(cell)
        return ENCODED.includes(name) ? cell.replace(BASE64, encoded) : cell
      })
    }
  },
})
