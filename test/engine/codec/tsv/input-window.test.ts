// The input window: blocks of copied and of lent bytes, and the position in them.

import { describe, expect, test } from 'vitest'
import { type Loan, lend } from '../../../../src/engine/codec/loan'
import { InputWindow } from '../../../../src/engine/codec/tsv/input-window'
import { wasmMemory } from '../../../../src/engine/codec/wasm-module'

const memory = wasmMemory(1)
const loan = (historyBytes: number): Loan => ({ memory, freeFrom: 1024, historyBytes })
const text = (window: InputWindow) =>
  Buffer.from(window.bytes.subarray(window.at, window.filled)).toString()

/** Writes `content` at the start of the memory and lends it from `from` on. */
function lent(content: string, from = 0): Uint8Array {
  const bytes = new Uint8Array(memory.buffer, 0, content.length)
  bytes.set(Buffer.from(content))
  return lend(bytes.subarray(from), loan(from))
}

describe('copied inputs', () => {
  test('a block opens when the inputs fill it, and what was not read begins the next one', () => {
    const window = new InputWindow(4)
    window.take(Buffer.from('abc'))
    expect([window.open(), window.isOpen]).toEqual([false, false])
    window.take(Buffer.from('defg'))
    expect([window.open(), window.isOpen, text(window)]).toEqual([true, true, 'abcd'])
    window.advance(3, 1, 1)
    window.close()
    expect([window.isOpen, window.baseOffset, window.open(), text(window)]).toEqual([
      false,
      3,
      true,
      'defg',
    ])
    expect(window.positionOf(1)).toEqual({ row: 2, line: 2, byteOffset: 4 })
  })

  test('a block grows to twice the row that is cut off', () => {
    const window = new InputWindow(4)
    window.take(Buffer.from('abcdefghij'))
    window.open()
    window.close()
    expect([window.open(), text(window)]).toEqual([true, 'abcdefgh'])
    window.close()
    expect([window.open(), text(window)]).toEqual([false, 'abcdefghij'])
  })

  test('the last block has what is there', () => {
    const window = new InputWindow(4)
    window.take(Buffer.from('ab'))
    expect(window.open()).toBe(false)
    window.openLast()
    expect([window.isOpen, window.isFinal, text(window)]).toEqual([true, true, 'ab'])
    window.close()
    expect([window.isOpen, window.open()]).toEqual([false, false])
  })
})

describe('lent inputs', () => {
  test('blocks lie in the input, together with the bytes before it that were copied', () => {
    const window = new InputWindow(4)
    window.take(Buffer.from('ab'))
    window.open()
    const input = lent('abcdefghi', 2)
    expect(window.canBorrow(input, loan(2))).toBe(true)
    window.borrow(input)
    expect([window.open(), window.isLent, text(window)]).toEqual([true, true, 'abcd'])
    expect(window.bytes.buffer).toBe(memory.buffer)
    window.advance(4, 1, 1)
    window.close()
    expect([window.open(), text(window), window.bytes.buffer === memory.buffer]).toEqual([
      true,
      'efgh',
      true,
    ])
    window.advance(3, 1, 1)
    window.close()
    expect([window.open(), window.isLent, text(window)]).toEqual([false, false, 'hi'])
    expect(window.bytes.buffer).not.toBe(memory.buffer)
    expect(window.baseOffset).toBe(7)
  })

  test('an input is copied that is too small or lacks the bytes before it', () => {
    const window = new InputWindow(4)
    window.take(Buffer.from('ab'))
    window.open()
    expect(window.canBorrow(lent('c'), loan(2))).toBe(false)
    expect(window.canBorrow(lent('cdef'), loan(1))).toBe(false)
  })
})

test('the rest of a long line is dropped, through as many blocks as it has', () => {
  const window = new InputWindow(4)
  const dropped: string[] = []
  window.onDiscard = bytes => dropped.push(Buffer.from(bytes).toString())
  window.take(Buffer.from('longest\nrow'))
  window.open()
  window.discardLine()
  expect([text(window), dropped]).toEqual(['', ['long']])
  window.close()
  expect([window.open(), text(window), dropped]).toEqual([true, '', ['long', 'est\n']])
  expect(window.positionOf(window.at)).toEqual({ row: 1, line: 2, byteOffset: 8 })
  window.close()
  expect(window.open()).toBe(false)
  window.openLast()
  expect([text(window), dropped]).toEqual(['row', ['long', 'est\n']])
})

describe('an input that begins in the middle of a file', () => {
  const position = { row: 4, line: 6, byteOffset: 100 }

  test('begins at the position that is given, and later rows are counted from there', () => {
    const window = new InputWindow(4)
    window.startAt(position)
    expect([window.rows, window.baseOffset]).toEqual([3, 100])
    window.take(Buffer.from('abcdefghij'))
    window.open()
    expect([window.positionOf(0), text(window)]).toEqual([position, 'abcd'])
    window.advance(3, 1, 2)
    expect(window.positionOf(3)).toEqual({ row: 5, line: 8, byteOffset: 103 })
    window.close()
    expect([window.open(), text(window)]).toEqual([true, 'defg'])
    expect([window.rows, window.positionOf(0), window.positionOf(2)]).toEqual([
      4,
      { row: 5, line: 8, byteOffset: 103 },
      { row: 5, line: 8, byteOffset: 105 },
    ])
  })

  test('does so in lent memory too', () => {
    const window = new InputWindow(4)
    window.startAt(position)
    window.borrow(lent('abcdefghi'))
    expect([window.open(), window.isLent, window.positionOf(0)]).toEqual([true, true, position])
    window.advance(4, 1, 1)
    window.close()
    window.open()
    expect([text(window), window.positionOf(0)]).toEqual([
      'efgh',
      { row: 5, line: 7, byteOffset: 104 },
    ])
  })

  test('has quotes confined up to an offset of the file, through its blocks', () => {
    const window = new InputWindow(4)
    window.startAt(position)
    expect(window.isConfined(0)).toBe(false)
    window.take(Buffer.from('abcdefghij'))
    window.open()
    window.confineQuotesUntil(4)
    window.confineQuotesUntil(2)
    expect([window.isConfined(3), window.isConfined(4)]).toEqual([true, false])
    window.advance(3, 1, 1)
    window.close()
    window.open()
    expect([window.isConfined(0), window.isConfined(1)]).toEqual([true, false])
  })
})
