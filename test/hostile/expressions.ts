/** What a caller's values make of expressions, and what ends each of them. */
export const hostileExpressions: { name: string; expression: string; body: object; why: string }[] = [
  {
    name: 'a width',
    expression: '$pad("a", request.body.w)',
    body: { w: 1_000_000_000 },
    why: 'it cannot be evaluated',
  },
  {
    name: 'a width below the longest text',
    expression: '$pad("a", request.body.w)',
    body: { w: 500_000_000 },
    why: 'it ',
  },
  {
    name: 'many widths',
    expression: '$map([1..1000], function($n) { $pad("a", request.body.w) & $string($n) })',
    body: { w: 10_000_000 },
    why: 'it ',
  },
  {
    name: 'texts that double',
    expression: '($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $length($f(request.body.s, 40)))',
    body: { s: 'aaaaaaaaaaaaaaaa' },
    why: 'it ',
  },
  {
    name: 'a list of lists',
    expression: '[1..request.body.n].[1..1000].{"a": $}',
    body: { n: 100_000 },
    why: 'it ',
  },
  {
    name: 'many items',
    expression: '$sum([1..request.body.n].($ * 2))',
    body: { n: 999_999 },
    why: 'it takes too long',
  },
  {
    name: 'a long list',
    expression: '$count([1..request.body.n])',
    body: { n: 9_000_000 },
    why: 'its list is too long',
  },
  {
    name: 'deep recursion',
    expression: '($f := function($n) { 1 + $f($n + 1) }; $f(request.body.n))',
    body: { n: 1 },
    why: 'it calls itself too deeply',
  },
  {
    name: 'recursion without an end',
    expression: '($f := function($n) { $f($n + 1) }; $f(request.body.n))',
    body: { n: 1 },
    why: 'it takes too long',
  },
  {
    name: 'a nested pattern',
    expression: '$match(request.body.s, /^(([a-z])+.)+[A-Z]([a-z])+$/)',
    body: { s: 'a'.repeat(40) },
    why: 'it takes too long',
  },
  {
    name: 'a nested pattern on sixteen characters',
    expression: '$contains(request.body.s, /^((((a*)*)*)*)*b$/)',
    body: { s: 'a'.repeat(16) },
    why: 'it takes too long',
  },
  {
    name: 'replacements',
    expression: '$replace(request.body.s, "a", request.body.s)',
    body: { s: 'a'.repeat(60_000) },
    why: 'it',
  },
]
