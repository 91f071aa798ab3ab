-- Requests TARGET with {order} replaced by a random order's guid and {token} by the token of a random shipment's page. Each
-- request names another client, because a client may request few pages a minute.
-- Prints: requests/s, p50 and p99 in milliseconds, errors.
local target = os.getenv("TARGET")
wrk.headers["Authorization"] = os.getenv("TOKEN") and "Bearer " .. os.getenv("TOKEN")
math.randomseed(os.time())

function request()
  local path = target:gsub("{order}", function()
    return "00000000-0000-4000-8000-" .. string.format("%d", 100000000000 + math.random(1, 100000))
  end):gsub("{token}", function()
    return "000000000000" .. "4000d000" .. string.format("%d", 100000000000 + math.random(1, 10000))
  end)
  wrk.headers["X-Forwarded-For"] = string.format("10.0.%d.%d", math.random(0, 159), math.random(0, 255))
  return wrk.format("GET", path)
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("wrk: %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
