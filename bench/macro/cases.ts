// All cases, in the order of the table. A new contender is one file beside this one and one line here.
// Each is loaded only by the processes that run it.

import type { MacroCase } from './macro-case'

export const macroCases = {
  zlib: async () => (await import('./zlib')).zlib,
  'rows-5': async () => (await import('./rows-5')).rows5,
  objects: async () => (await import('./objects')).objects,
  typed: async () => (await import('./typed')).typed,
  papaparse: async () => (await import('./papaparse')).papaparse,
} satisfies Record<string, () => Promise<MacroCase>>

export type MacroCaseName = keyof typeof macroCases

export const MACRO_CASE_NAMES = Object.keys(macroCases) as MacroCaseName[]
