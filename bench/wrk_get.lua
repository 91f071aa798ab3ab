-- Requests the path TARGET again and again. Prints: requests/s, p50 and p99 in milliseconds, errors.
local target = os.getenv("TARGET")
local headers = { Authorization = "Bearer " .. os.getenv("TOKEN") }

function request()
  return wrk.format("GET", target, headers)
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("wrk: %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
