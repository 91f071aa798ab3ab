-- Changes and new orders, with the token TOKEN. WORK is `move` (an order to processing, or to ready in the next round; every
-- order once a round), `edit` (the notes of an order), `reorder` (its items), `create` (one order) or `bulk` (BATCH orders).
-- Prints: requests/s, p50 and p99 in milliseconds, errors.
local work = os.getenv("WORK")
local orders = tonumber(os.getenv("ORDERS"))
local batch = tonumber(os.getenv("BATCH") or "1")
local sent = 0
-- Part of each note: the note of an earlier run would change nothing.
local start = os.time()
local headers = { Authorization = "Bearer " .. (os.getenv("TOKEN") or ""), ["Content-Type"] = "application/json" }

local function new_order(n)
  return string.format('{"customerId":"00000000-0000-4000-9000-%d","items":[{"description":"Lamp","sku":"SKU-%d",' ..
    '"quantity":2,"price":%d.5},{"description":"Bulb","quantity":1,"price":3}],"deliveryAddress":{"street":"%d Station Road",' ..
    '"city":"City %d","postalCode":"%05d","country":"DE"}}', 100000000001 + n % 5000, n % 900, 10 + n % 90, n % 200, n % 16,
    n % 99999)
end

function request()
  sent = sent + 1
  -- 7919 is prime, so each round visits every order once.
  local path = string.format("/api/v1/Orders/00000000-0000-4000-8000-%d", 100000000001 + sent * 7919 % orders)
  if work == "move" then
    local status = math.floor(sent / orders) % 2 == 0 and "processing" or "ready"
    return wrk.format("PATCH", path .. "/status", headers, '{"status":"' .. status .. '"}')
  elseif work == "edit" then
    return wrk.format("PUT", path, headers, '{"notes":"note ' .. sent .. " of " .. start .. '"}')
  elseif work == "reorder" then
    return wrk.format("PUT", path, headers, '{"items":[{"description":"Lamp","quantity":' .. sent .. ',"price":1}]}')
  elseif work == "create" then
    return wrk.format("POST", "/api/v1/Orders", headers, new_order(sent))
  end
  local list = {}
  for i = 1, batch do list[i] = new_order(sent * batch + i) end
  return wrk.format("POST", "/api/v1/Orders/bulk", headers, '{"orders":[' .. table.concat(list, ",") .. "]}")
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("wrk: %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
