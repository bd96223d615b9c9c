import { describe, expect, test } from 'vitest'
import { headerName } from '../../../src/emulator/feeds/file-format'

describe('header names', () => {
  test.each([
    ['camelCase', ['itemId', 'gtin', 'inferredEpid', 'RestockingFeePercentage']],
    ['documented', ['itemId', 'the service', 'inferredEpid', 'RestockingFeePercentage']],
    ['PascalCase', ['ItemId', 'GTIN', 'InferredEPID', 'RestockingFeePercentage']],
  ] as const)('%s', (spelling, names) => {
    expect(
      ['itemId', 'gtin', 'inferredEpid', 'RestockingFeePercentage'].map(name =>
        headerName(name, spelling),
      ),
    ).toEqual(names)
  })
})
