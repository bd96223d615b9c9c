// Bytes that are lent where they lie, in place of a copy. The loan travels with the bytes: whoever
// gets them either is done with them in time, or makes a copy, which has no loan.
//
//   who lends                   what                                  valid until
//   inflate engine (WebAssembly) its memory, behind up to 256 KiB      its next output is asked for,
//                               of what it put out before             or it is destroyed
//   Gunzip, where it may        the engine's outputs as they are      the same
//   (Stage.lendOutputs)
//   FileSource, where it may    one of two buffers                    its next block is asked for
//
//   who borrows                 how
//   Gunzip (Stage.borrowsInputs) copies a block into the engine's memory
//   parsers (the same)          read rows in the memory that is lent, and copy them into batches
//
// FileSource's blocks are plain memory and carry no loan: nobody but their reader works in it.

import type { WasmMemory } from './wasm-module'

/** Where bytes lie that are lent. */
export interface Loan {
  /** A memory in which others may work too. */
  readonly memory: WasmMemory
  /** From here on the memory is the borrower's. */
  readonly freeFrom: number
  /** Before the bytes, so much of what came before them lies there still. */
  readonly historyBytes: number
}

// Two copies of the package in one process share it.
const LOAN = Symbol.for('feedmill.loan')

interface Lendable {
  [LOAN]?: Loan
}

/** The same bytes, with their loan. */
export function lend(bytes: Uint8Array, loan: Loan): Uint8Array {
  ;(bytes as Lendable)[LOAN] = loan
  return bytes
}

/** Undefined for bytes that belong to whoever has them. */
export function loanOf(bytes: Uint8Array): Loan | undefined {
  return (bytes as Lendable)[LOAN]
}
