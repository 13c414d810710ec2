// The hostile templates.
const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: (n * 7_919) % 20_000, name: `n${n % 7_000}`, tags: [n] }))

/** Data of a megabyte, of which a filter of a template takes its time. */
export const largeList = { rows }

/** What templates make of a large list, or of little. */
export const hostileTemplates = [
  '{{ request.body.rows | where: "id", 5 | size }}',
  '{{ request.body.rows | where_exp: "row", "row.name == 5" | size }}',
  '{{ request.body.rows | map: "name" | join: "," }}',
  '{{ request.body.rows | sort: "name" | sort_natural: "name" | size }}',
  '{{ request.body.rows | group_by: "name" | size }}',
  '{{ request.body.rows | group_by_exp: "row", "row.id" | size }}',
  '{{ request.body.rows | find: "id", 19999 | json }}',
  '{% if request.body.rows contains 5 %}a{% endif %}',
  '{% for row in request.body.rows %}{{ row.id }}{% endfor %}',
  '{{ request.body.rows | json | split: "" | sort | size }}',
  '{% capture rows %}{% for n in (1..1000) %}{{ request.body.rows }}{% endfor %}{% endcapture %}{{ rows | json }}',
  `{% for n in (1..1000000) %}${'{{ request.body.rows[0].name }}'.repeat(20)}{% endfor %}`,
]
