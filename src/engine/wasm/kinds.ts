// The numbers of the kinds of cells and of the notations, which the host has from here by their names.
// The kinds before DECIMAL are those of values in row-text.ts too.

/** A text that the host has made. */
export const MADE: u32 = 0
export const TEXT_CELL: u32 = 1
export const INT32: u32 = 2
export const INT64: u32 = 3
export const BOOLEAN: u32 = 4
export const LIST: u32 = 5
export const REGIONS: u32 = 6
export const ASPECTS: u32 = 7
export const DESCRIPTORS: u32 = 8
/** A list as an array of PostgreSQL. */
export const LIST_AS_ARRAY: u32 = 9
/** A list whose texts need no quotes. */
export const LIST_OF_LITERALS: u32 = 10
export const DECIMAL: u32 = 15
export const DAY: u32 = 11
export const TIME: u32 = 12
export const CHOICE: u32 = 13
/** A number of any size, which only its text can be. */
export const ANY_DECIMAL: u32 = 14
export const FLOAT64: u32 = 16
/** JSON, which is always its text. */
export const JSON_CELL: u32 = 17
/** Added to the kind of cells whose texts are checked and stay as they are. */
export const AS_TEXT: u32 = 32

// Notations of texts, as escapes.ts writes them.

export const JSON: u32 = 0
export const ARRAY: u32 = 1
export const COPY: u32 = 2
export const CSV: u32 = 3
/** JSON for a database whose text has no NUL. */
export const JSONB: u32 = 4
