// The unit that travels from a ranged download to whoever puts the file back together.

/** Bytes and where they stand in the file. The bytes belong to whoever receives the piece. */
export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}
