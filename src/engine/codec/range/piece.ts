// A part of a file, as it travels from a ranged download to the reorder buffer.

/** Bytes and their offset in the file. The receiver of a piece owns its bytes. */
export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}
