-- Requests one of the first twenty pages of the runs that QUERY selects. Prints: requests/s, p50 and p99 in milliseconds, errors.
local query = os.getenv("QUERY")
local headers = { Authorization = "Bearer " .. os.getenv("TOKEN") }
math.randomseed(os.time())

function request()
  return wrk.format("GET", "/api/workflows/runs?PageSize=50&Page=" .. math.random(1, 20) .. query, headers)
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("wrk: %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
