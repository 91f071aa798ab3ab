-- Requests TARGET with the token TOKEN, with {order} replaced by a random order's guid, {page} by one of the first twenty
-- pages and {word} by the number of one of the first 100 000 orders.
-- Prints: requests/s, p50 and p99 in milliseconds, errors.
local target = os.getenv("TARGET")
wrk.headers["Authorization"] = "Bearer " .. (os.getenv("TOKEN") or "")
math.randomseed(os.time())

function request()
  local path = target:gsub("{order}", function()
    return "00000000-0000-4000-8000-" .. string.format("%d", 100000000000 + math.random(1, 100000))
  end):gsub("{page}", function() return tostring(math.random(1, 20)) end)
    :gsub("{word}", function() return tostring(math.random(1000, 100000)) end)
  return wrk.format("GET", path)
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("wrk: %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
