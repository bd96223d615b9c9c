import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { HISTORY_HEADER, historyLines } from '../../../src/bench/formats/history-lines'
import { machine, measuredOnly } from '../made-bench-report'

test('a reader of other code finds the figures of each report, whatever a benchmark is called', () => {
  const commits = fc.constantFrom(undefined, 'a'.repeat(40), `${'b'.repeat(40)}-dirty`)
  const names = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a,b', 'a "b"', 'a\r\nb'))
  fc.assert(
    fc.property(fc.array(fc.tuple(names, commits), { minLength: 1, maxLength: 5 }), made => {
      const reports = made.map(([name, commit]) => ({
        ...measuredOnly(name),
        ...(commit !== undefined && { commit }),
      }))
      const text = HISTORY_HEADER + reports.map(historyLines).join('')
      const { data, errors } = Papa.parse<Record<string, string>>(text, {
        header: true,
        delimiter: ',',
        newline: '\n',
        skipEmptyLines: true,
      })
      expect(errors).toEqual([])
      expect(data).toEqual(
        made.map(([benchmark, commit = '']) => ({
          date: machine.date,
          commit,
          benchmark,
          seconds: expect.stringMatching(/^0\.50\d*$/),
          spread: expect.stringMatching(/^0\.00\d*$/),
          cpuSeconds: expect.stringMatching(/^0\.60\d*$/),
          peakMb: '100',
          node: machine.node,
          cores: '2',
        })),
      )
    }),
  )
})
