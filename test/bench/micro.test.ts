import { expect, test } from 'vitest'
import { CASES } from '../../bench/micro/cases'

test.each(CASES)('the micro case $name returns what it states', ({ run, expected }) => {
  for (let n = 0; n < 2; n++) expect(run()).toBe(expected)
})
