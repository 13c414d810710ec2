// Health check of a container: node docker/healthcheck.mjs /health/live [port]
// Exit code 0 when the process on that port, by default $PORT, answers 200 within four seconds, else 1. The image has no curl.
const url = `http://127.0.0.1:${process.argv[3] || process.env.PORT || 3000}${process.argv[2] ?? '/health/live'}`

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) })
  if (response.status !== 200) throw new Error(`answered ${response.status}`)
} catch (error) {
  console.error(`${url}: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
