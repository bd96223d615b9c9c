import { expect, test } from 'vitest'
import { printableUrl } from '../../../src/codec/range/printable-url'

test('user info is removed, and path and query stay', () => {
  expect(printableUrl('https://user:secret@feed.test:8443/item?category_id=1&date=20240101')).toBe(
    'https://feed.test:8443/item?category_id=1&date=20240101',
  )
})

test('values of secret parameters are masked', () => {
  expect(
    printableUrl(
      'https://feed.test/f?access_token=abc&date=1&X-Signature=def&apiKey=g&access_token=h',
    ),
  ).toBe('https://feed.test/f?access_token=redacted&date=1&X-Signature=redacted&apiKey=redacted')
})

test('a text that is no URL is not shown', () => {
  expect(printableUrl('user:secret@feed')).not.toContain('/')
  expect(printableUrl('//secret')).toBe('(not a URL)')
})
