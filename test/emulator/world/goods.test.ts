import { expect, test } from 'vitest'
import { departmentOf } from '../../../src/emulator/world/goods'

const KNOWN = '1 220 267 281 293 625 888 11450 11700 15032 26395 131090'.split(' ')
const kindsOf = (categoryId: string) => departmentOf(categoryId).leaves.map(({ kind }) => kind)

test('a category without a known name has the kinds of one known department', () => {
  for (const categoryId of ['550', '619', '7', '999999'])
    expect(KNOWN.map(kindsOf)).toContainEqual(kindsOf(categoryId))
})
