// The stages of a download from the service. They extend the stages of the library in two points:
// refusals get the name of the operation, and a file that the service states to be empty (a 204, or
// a total of 0) is no fault of gzip or TSV.

import type {
  ChosenColumns,
  Columns,
  Outputs,
  Piece,
  RangeFetcherOptions,
  RowBatch,
  TsvRowParserOptions,
} from '../../engine/index'
import {
  asFeedError,
  FeedError,
  type GunzipOptions,
  Gunzip as GunzipStage,
  RangeFetcher as RangeFetcherStage,
  type RangeInfo,
  statusError,
  TsvRowParser as TsvRowParserStage,
} from '../../engine/index'

// The classes keep the names of the stages that they extend, because counters are read by name.

class RangeFetcher extends RangeFetcherStage {
  readonly #operation: string
  /** The information about the file. It is set before the first piece, and at the end. */
  known: RangeInfo | undefined

  constructor(operation: string, options: RangeFetcherOptions) {
    super(options)
    this.#operation = operation
  }

  protected override async *produce(): AsyncGenerator<Piece, void, void> {
    try {
      for await (const piece of super.produce()) {
        this.known ??= await this.info
        yield piece
      }
      this.known ??= await this.info
    } catch (error) {
      throw asServiceAnswer(asFeedError(error, this.name), this.#operation)
    }
  }
}

class Gunzip extends GunzipStage {
  readonly #fetcher: RangeFetcher

  constructor(fetcher: RangeFetcher, options: GunzipOptions | undefined) {
    super(options)
    this.#fetcher = fetcher
  }

  protected override flush(): Outputs<Uint8Array> {
    return this.#fetcher.known?.empty === true ? undefined : super.flush()
  }
}

class TsvRowParser<C extends Columns, const N extends string> extends TsvRowParserStage<C, N> {
  readonly #fetcher: RangeFetcher

  constructor(fetcher: RangeFetcher, options: TsvRowParserOptions<C, N>) {
    super(options)
    this.#fetcher = fetcher
  }

  protected override flush(): Outputs<RowBatch<ChosenColumns<C, N>>> {
    return this.#fetcher.known?.empty === true ? undefined : super.flush()
  }
}

export { Gunzip as FeedGunzip, RangeFetcher as FeedFetcher, TsvRowParser as FeedRowParser }

/**
 * Returns every refusal of the service as HTTP_STATUS with the name of the operation, as JSON
 * operations do. Other failures are returned unchanged.
 */
function asServiceAnswer(error: FeedError, operation: string): FeedError {
  if (!FeedError.is(error)) return error
  const { code, context, cause } = error
  if (code === 'HTTP_STATUS') return statusError({ ...context, operation }, context, cause)
  if (code === 'RANGE_UNSATISFIABLE' && context.errorId !== undefined)
    return statusError({ ...context, operation }, context, error)
  if (code !== 'RANGE_RETRIES_EXHAUSTED' || !FeedError.is(cause) || cause.code !== 'HTTP_STATUS')
    return error
  return statusError({ ...cause.context, operation }, cause.context, error)
}
