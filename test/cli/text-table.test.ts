import { expect, test } from 'vitest'
import { textTable } from '../../src/cli/text-table'

test('words stand to the left in the first column, all else to the right, with nothing behind the last cell', () => {
  const lines = [
    ['Gunzip', '1.5', ''],
    ['a', '', '12'],
  ]
  expect(textTable(['stage', 's', 'rows'], lines).split('\n')).toEqual([
    'stage     s  rows', //
    '------  ---  ----',
    'Gunzip  1.5',
    'a              12',
  ])
})
