// Loans: bytes that are lent where they lie, in place of a copy. The loan travels with the bytes. A
// reader of such bytes either is done with them in time, or makes a copy, which has no loan.
//
//   lender                      what it lends                      valid until
//   inflate engine (WebAssembly) its memory, after up to 256 KiB    its next output is asked for,
//                               of the output before               or it is destroyed
//   Gunzip, where it may lend   the engine's outputs as they are   the same
//   (Stage.lendOutputs)
//   FileSource, where it may    one of two buffers                 its next block is asked for
//   RangeFetcher, where it may  a block of a range                 its next piece is asked for
//   ChunkReassembler, where it  the pieces that come in order as   its next output is asked for
//   may                         they are
//
//   borrower                    how it borrows
//   Gunzip (Stage.borrowsInputs) copies a block into the engine's memory
//   parsers (the same)          read rows in the memory that is lent, and copy them into batches
//   ChunkReassembler, where it  gives pieces on before it takes others, and copies those that have
//   lends                       to wait
//
// The blocks of FileSource and RangeFetcher are plain memory and have no loan: only their reader
// works in that memory.

import type { WasmMemory } from './wasm-module'

/** The place of lent bytes. */
export interface Loan {
  /** The memory, in which other code may work too. */
  readonly memory: WasmMemory
  /** The offset from which on the memory is the borrower's. */
  readonly freeFrom: number
  /** The number of bytes of earlier output that still lie in the memory before the lent bytes. */
  readonly historyBytes: number
}

// The symbol is global, so that two copies of the package in one process share it.
const LOAN = Symbol.for('feedmill.loan')

interface Lendable {
  [LOAN]?: Loan
}

/** Returns the same bytes with their loan. */
export function lend(bytes: Uint8Array, loan: Loan): Uint8Array {
  ;(bytes as Lendable)[LOAN] = loan
  return bytes
}

/** Returns the loan of bytes, or undefined where they belong to their holder. */
export function loanOf(bytes: Uint8Array): Loan | undefined {
  return (bytes as Lendable)[LOAN]
}
