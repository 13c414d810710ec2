// Differences between two documents.
import { expect, test } from 'vitest'
import { differences } from '../../db/admin/differences.js'

const cases: [name: string, before: unknown, after: unknown, changes: object[]][] = [
  ['equal documents', { a: { b: [1] } }, { a: { b: [1] } }, []],
  ['the order of members', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['a member that came', {}, { a: 1 }, [{ path: '/a', change: 'created', after: 1 }]],
  ['a member that went', { a: 1 }, {}, [{ path: '/a', change: 'deleted', before: 1 }]],
  ['a member that is undefined', { a: undefined }, {}, []],
  ['a value that changed', { a: 1 }, { a: 2 }, [{ path: '/a', change: 'updated', before: 1, after: 2 }]],
  ['null and nothing', { a: null }, {}, [{ path: '/a', change: 'deleted', before: null }]],
  ['false and 0', { a: false }, { a: 0 }, [{ path: '/a', change: 'updated', before: false, after: 0 }]],
  ['1 and "1"', { a: 1 }, { a: '1' }, [{ path: '/a', change: 'updated', before: 1, after: '1' }]],
  [
    'a member deep inside',
    { a: { b: { c: 1 } } },
    { a: { b: {} } },
    [{ path: '/a/b/c', change: 'deleted', before: 1 }],
  ],
  [
    'a list, as one value',
    { a: [1, 2] },
    { a: [2, 1] },
    [{ path: '/a', change: 'updated', before: [1, 2], after: [2, 1] }],
  ],
  ['an object in place of a list', { a: [] }, { a: {} }, [{ path: '/a', change: 'updated', before: [], after: {} }]],
  ['an object that came, as one value', {}, { a: { b: 1 } }, [{ path: '/a', change: 'created', after: { b: 1 } }]],
  ['names with / and ~', {}, { 'a/b~c': 1 }, [{ path: '/a~1b~0c', change: 'created', after: 1 }]],
  ['an empty name', {}, { '': 1 }, [{ path: '/', change: 'created', after: 1 }]],
  ['names that every object has', {}, { constructor: 1 }, [{ path: '/constructor', change: 'created', after: 1 }]],
  ['nothing and something', undefined, { a: 1 }, [{ path: '', change: 'created', after: { a: 1 } }]],
]

test.each(cases)('%s', (_, before, after, changes) => {
  expect(differences(before, after)).toEqual(changes)
})

test('a document is not changed by the comparison', () => {
  const [before, after] = [Object.freeze({ a: Object.freeze([1]) }), Object.freeze({ b: 1 })]
  expect(differences(before, after)).toHaveLength(2)
})
