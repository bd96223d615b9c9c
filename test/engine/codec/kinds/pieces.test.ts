import { expect, test } from 'vitest'
import { COLON, PIPE, SEMICOLON } from '../../../../src/engine/codec/kinds/base64-pieces'
import { decodePieces } from '../../../../src/engine/codec/kinds/pieces'

test('pieces come in order, each with the separator behind it', () => {
  expect(decodePieces('TA==|bg==:w6Q=;bg==:dg==', 'aspects')).toEqual({
    texts: ['L', 'n', 'ä', 'n', 'v'],
    separators: [PIPE, COLON, SEMICOLON, COLON, SEMICOLON],
  })
})

test('a last semicolon begins no piece; pieces between separators may be empty', () => {
  expect(decodePieces('bg==;', 'aspects')).toEqual({ texts: ['n'], separators: [SEMICOLON] })
  expect(decodePieces('|:;;', 'aspects')).toEqual({
    texts: ['', '', '', ''],
    separators: [PIPE, COLON, SEMICOLON, SEMICOLON],
  })
})

test('the error names the type that asked', () => {
  expect(() => decodePieces('*', 'conditionDescriptors')).toThrow(
    'not readable as conditionDescriptors: a character outside',
  )
})
