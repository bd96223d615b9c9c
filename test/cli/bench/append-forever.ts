// A process that appends to a history until it is killed, for history.test.ts.

import { appendToHistory } from '../../../src/cli/bench/history'
import { measuredOnly } from '../../bench/made-bench-report'

const report = measuredOnly()
const [first] = report.benches
const several = { ...report, benches: ['a', 'b', 'c'].map(name => ({ ...first!, name })) }
for (;;) {
  await appendToHistory(process.argv[2]!, several)
  process.send!('appended')
}
