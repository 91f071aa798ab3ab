-- Requests of many businesses. In TARGET, {order}, {customer}, {page}, {word} (an order's number, three digits or more),
-- {short} (two digits), {status} and {business} are replaced at random. The token is TOKEN, or that of the order's business.
-- With BATCH, each request is a POST of that number of positions of the business's device.
-- Prints: requests/s, p50 and p99 in milliseconds, errors.
local target = os.getenv("TARGET")
local orders = tonumber(os.getenv("ORDERS"))
local businesses = tonumber(os.getenv("BUSINESSES"))
local batch = tonumber(os.getenv("BATCH") or "0")
local token = os.getenv("TOKEN") or ""
local statuses = { "pending", "processing", "ready", "shipped" }
math.randomseed(os.time())
local clock = os.time() - 40000000 + math.random(1, 1000000)

-- The same formula as in sql/million.sql.
local function business_of(order)
  return math.min(businesses, math.floor(math.exp(order * 2654435761 % 4294967296 / 4294967296 * math.log(businesses + 1)))) - 1
end

local function positions(business)
  local entries = {}
  for i = 1, batch do
    clock = clock + 1
    entries[i] = string.format('{"deviceId":"bench-%d","latitude":%.5f,"longitude":%.5f,"speed":40,"heading":90,"timestamp":"%s"}',
      business, 52 + math.random() / 10, 13 + math.random() / 10, os.date("!%Y-%m-%dT%H:%M:%SZ", clock))
  end
  return "[" .. table.concat(entries, ",") .. "]"
end

function request()
  local order = math.random(1, orders)
  local business = business_of(order)
  local path = target:gsub("{order}", string.format("00000000-0000-4000-8000-%d", 100000000000 + order))
    :gsub("{customer}", string.format("00000000-0000-4000-9000-%d", 100000000000 + math.random(0, 199)))
    :gsub("{page}", tostring(math.random(1, 20))):gsub("{word}", tostring(math.max(order, 100)))
    :gsub("{short}", tostring(math.random(10, 99)))
    :gsub("{status}", statuses[math.random(1, #statuses)])
    :gsub("{business}", string.format("00000000-0000-4000-b000-%d", 100000000000 + business))
  local headers = { Authorization = "Bearer " .. (token ~= "" and token or "wb_bench_" .. business) }
  if batch == 0 then return wrk.format("GET", path, headers) end
  headers["Content-Type"] = "application/json"
  return wrk.format("POST", path, headers, positions(business))
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("wrk: %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
