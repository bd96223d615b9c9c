// All micro cases, in the order of the report.

import { aspectBytes } from './aspect-reader'
import { aspects } from './aspects'
import { contentRange } from './content-range'
import { copy } from './copy'
import { gunzipFflate } from './gunzip-fflate'
import { inflater } from './inflater'
import { merge } from './merge'
import type { MicroCase } from './micro-case'
import { parse } from './parse'
import { regions } from './regions'
import { scan } from './scan'

export const CASES: readonly MicroCase[] = [
  scan,
  parse,
  aspects,
  aspectBytes,
  regions,
  contentRange,
  copy,
  merge,
  gunzipFflate,
  inflater,
]
