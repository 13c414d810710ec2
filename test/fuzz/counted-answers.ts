// Counts the answers of an API by its own metrics.

/** How many answers there were with each status. */
export type Counted = Record<string, number>

/** Reads how many requests the API has answered so far. */
export async function countedAnswers(metricsUrl: string): Promise<Counted> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text()
  const counted: Counted = {}
  for (const [, labels = '', count] of text.matchAll(/^armature_http_requests_total\{([^}]*)\} (\d+)/gm)) {
    const status = /status="(\w+)"/.exec(labels)?.[1] ?? ''
    counted[status] = (counted[status] ?? 0) + Number(count)
  }
  return counted
}
