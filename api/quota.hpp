#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// What a business pays for.
struct Plan {
  std::string name;
  std::int64_t requests_per_minute;
  bool api_access = true;  // without it API tokens get 403; user tokens work
};

/// The plans by name. Immutable after construction.
class Plans {
 public:
  /// free (no API access, 60 a minute), standard 600, pro 6 000, unlimited 1 000 000 000.
  Plans();
  explicit Plans(std::vector<Plan> plans);

  /// Reads `NAME=LIMIT[:no-api],…` on top of the defaults: a name that is given replaces the default's row.
  /// Throws std::invalid_argument with a sentence for the operator.
  static Plans parse(std::string_view text);

  /// nullptr for a plan that is not configured.
  const Plan* find(std::string_view name) const;

 private:
  std::vector<Plan> plans_;
};

/// The answer to one request's claim.
struct Grant {
  bool allowed = false;
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::int64_t reset = 0;  // Unix seconds at which the window ends
};

/// Counts the requests of each token in fixed windows of one minute of the wall clock. Thread-safe. What a
/// node may grant is its own matter: all of a window, or chunks that it leases from the other nodes' common
/// database, for which `take` may suspend. `remaining` never grows within a window. A crash loses the running
/// window's count.
class Quota {
 public:
  virtual ~Quota() = default;
  virtual asio::awaitable<Grant> take(const Guid& token, std::int64_t limit, Time now) = 0;
};

/// The quota of a service that has one API node: it owns every window whole.
class LocalQuota : public Quota {
 public:
  asio::awaitable<Grant> take(const Guid& token, std::int64_t limit, Time now) override;

 private:
  struct Shard {
    std::mutex mutex;
    std::int64_t window = 0;
    std::unordered_map<Guid, std::int64_t> used;
  };
  std::array<Shard, 16> shards_;
};

}  // namespace waybill::api
