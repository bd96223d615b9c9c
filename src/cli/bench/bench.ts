// `feedmill bench FILE…`: measures, compares, and writes the report.

import { regressionText } from '../../bench/formats/words'
import {
  type BenchFormat,
  type BenchReport,
  benchText,
  compareWithBaseline,
  compareWithCommit,
  type MeasureName,
  measureBenches,
  regressionsIn,
} from '../../bench/index'
import { FeedError } from '../../index'
import { FAILURE, failureLines, WRONG_USAGE } from '../exit-code'
import { print, printError } from '../output'
