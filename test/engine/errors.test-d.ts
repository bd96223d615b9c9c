import { expectTypeOf, test } from 'vitest'
import { type AnyFeedError, asFeedError, FeedError } from '../../src/engine/errors'

declare const thrown: unknown

test('a switch over the code of asFeedError knows the context of each code', () => {
  const error = asFeedError(thrown, 'test')
  expectTypeOf(error).toEqualTypeOf<AnyFeedError>()
  switch (error.code) {
    case 'HTTP_STATUS':
      expectTypeOf(error.context.status).toEqualTypeOf<number>()
      break
    case 'GZIP_CRC_MISMATCH':
      expectTypeOf(error.context.expected).toEqualTypeOf<number>()
      // @ts-expect-error A checksum mismatch has no status.
      void error.context.status
      break
    case 'TSV_ROW_SHORT':
      expectTypeOf(error.context.row).toEqualTypeOf<number>()
      break
  }
})

test('FeedError.is narrows in the same way', () => {
  if (FeedError.is(thrown) && thrown.code === 'STATE_LOCKED')
    expectTypeOf(thrown.context.pid).toEqualTypeOf<number | undefined>()
})
