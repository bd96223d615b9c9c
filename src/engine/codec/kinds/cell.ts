// Cells whose values a function of the caller makes.

import { excerpt, FeedError } from '../../errors'
import { noPromise, show } from '../../options'
import { UTF8 } from '../columns/arrow-type'
import { invalidCell, type KindOfCells, withErrors } from './kind-of-cells'

export const cell: KindOfCells = {
  decoder({ decode: callersDecode, empty = null }) {
    const decode = (text: string) => {
      try {
        return withErrors(true, () => noPromise('cell', callersDecode?.(text)))
      } catch (cause) {
        if (FeedError.is(cause)) throw cause
        const thrown = excerpt(cause instanceof Error ? cause.message : show(cause))
        throw invalidCell('cell', `the schema's function threw: ${thrown}`, text, cause)
      }
    }
    return { empty, decode, read: () => undefined }
  },
  arrow: ({ as }, { arrowTypeOf }) => (as === undefined ? UTF8 : arrowTypeOf(as)),
  isMutable: true,
  mayHaveBigInts: true,
}
