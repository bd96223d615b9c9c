// The laws of a target, with PostgreSQL.
// Long: it synchronises several worlds with faults into a database.

import { describe } from 'vitest'
import { runsWithService } from '../../services'
import { targetLaws } from '../../sync/target/target-laws'
import { postgresPlace } from './postgres-place'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const SEEDS = ALL ? Array.from({ length: 20 }, (_, seed) => seed) : [0]

describe.runIf(await runsWithService('postgres'))('PostgreSQL', () => {
  targetLaws({ name: 'PostgreSQL', seeds: SEEDS, newPlace: () => postgresPlace() })
})
