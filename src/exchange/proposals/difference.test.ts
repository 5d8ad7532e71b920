import assert from 'node:assert/strict'
import { test } from 'node:test'

import { differenceOf } from './difference.ts'

test('a difference is written in sentences, one a change', () => {
  const rule = (name: string, level: string) => ({ name, level })
  const cases: [before: unknown, after: unknown, sentences: string[]][] = [
    [{ a: '1%' }, { a: '1%' }, []],
    [{ a: { b: '1%' } }, { a: { b: '2%' } }, ['a.b changes from 1% to 2%.']],
    [{}, { minimum: '5' }, ['minimum is added: 5.']],
    [{ minimum: '5' }, {}, ['minimum is removed. It was 5.']],
    [{ above: '5' }, { above: null }, ['above changes from 5 to nothing.']],
    [{ blocked: ['AF', 'BY'] }, { blocked: ['BY', 'CU'] }, ['blocked gains CU.', 'blocked loses AF.']],
    [{ blocked: ['AF', 'BY'] }, { blocked: ['BY', 'AF'] }, ['blocked is in another order.']],
    [
      { rules: [rule('one', 'low'), rule('two', 'low')] },
      { rules: [rule('one', 'high'), rule('three', 'low')] },
      [
        'rules[one].level changes from low to high.',
        'rules[two] is removed. It was {"name":"two","level":"low"}.',
        'rules[three] is added: {"name":"three","level":"low"}.',
      ],
    ],
  ]
  for (const [before, after, sentences] of cases) assert.deepEqual(differenceOf(before, after), sentences)
})
