#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// The plan of a business.
struct Plan {
  std::string name;
  std::int64_t requests_per_minute;
  bool api_access = true;  // if false, API tokens get 403; user tokens work
};

/// The plans by name. Immutable after construction.
class Plans {
 public:
  /// free (no API access, 60 a minute), standard 600, pro 6 000, unlimited 1 000 000 000.
  Plans();
  explicit Plans(std::vector<Plan> plans);

  /// Parses `NAME=LIMIT[:no-api],…` and merges it with the default plans by name. Throws
  /// std::invalid_argument with a message for the operator.
  static Plans parse(std::string_view text);

  /// nullptr for a plan that is not configured.
  const Plan* find(std::string_view name) const;

 private:
  std::vector<Plan> plans_;
};

/// The result of counting one request.
struct Grant {
  bool allowed = false;
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::int64_t reset = 0;  // Unix seconds at which the window ends
};

/// Counts the requests of each token in fixed windows of one minute of the wall clock.
class Quota {
 public:
  virtual ~Quota() = default;
  /// `remaining` never grows within a window, unless the limit does. Throws DatabaseUnavailable.
  virtual asio::awaitable<Grant> take(const Guid& token, std::int64_t limit, Time now) = 0;
};

/// A part of a token's quota in a window, taken for one node.
struct Lease {
  std::int64_t granted = 0;
  std::int64_t used = 0;   // by all nodes, including `granted`
  bool is_shared = false;  // other nodes have leases of this window
};

/// The source of the leases of all nodes.
class LeaseSource {
 public:
  struct Request {
    Guid token;
    std::int64_t window = 0;  // Unix minutes
    std::int64_t limit = 0;
    std::int64_t wanted = 0;
    Guid node;
    std::int64_t wanted_if_shared = 0;
  };
  virtual ~LeaseSource() = default;
  virtual asio::awaitable<Lease> lease(const Request& request) = 0;
};

/// Leases of the database's quota_windows.
class SqlLeaseSource : public LeaseSource {
 public:
  explicit SqlLeaseSource(storage::Database& db) : db_(db) {}
  asio::awaitable<Lease> lease(const Request& request) override;

 private:
  storage::Database& db_;
};

/// The leases of this node in the present window of each token. Thread-safe; shared by the io threads.
class QuotaLedger {
 public:
  /// From this limit on, requests are not counted across nodes.
  static constexpr std::int64_t unlimited = 1'000'000'000;

  /// A grant, or the lease that is needed first.
  std::variant<Grant, LeaseSource::Request> take(const Guid& token, std::int64_t limit, Time now);
  /// Adds a lease and counts the request that needed it.
  Grant book(const LeaseSource::Request& request, const Lease& lease);
  /// Ends a lease request that failed.
  void give_up(const LeaseSource::Request& request);

 private:
  struct Account {
    std::int64_t limit = 0;
    std::int64_t used = 0;              // by all nodes, as of the last lease
    std::int64_t left = 0;              // requests left in the leases of this node
    std::int64_t chunk = 1;             // size of the next lease
    std::int64_t lowest_remaining = 0;  // the lowest `remaining` returned so far
    bool is_leasing = false;
    bool is_exhausted = false;

    std::int64_t next_wanted() const;
    Grant grant(std::int64_t window, bool allowed);
  };
  struct Shard {
    std::mutex mutex;  // guards the rest; no thread holds those of two shards
    std::int64_t window = 0;
    std::unordered_map<Guid, Account> accounts;
  };
  Shard& shard_of(const Guid& token) { return shards_[std::hash<Guid>()(token) % shards_.size()]; }

  const Guid node_ = Guid::random();
  std::array<Shard, 16> shards_;
};

/// The quota of all API nodes together, for one io thread. A node leases parts of a token's minute from the
/// database and counts requests against them without another query. The first lease is 1, each further one
/// twice as large, up to a twentieth of the limit and an eighth of the rest. Together the nodes never grant
/// more than the limit; the unused part of a lease, a twentieth of the limit at most, is lost for the minute.
/// Once several nodes lease from one window, each lease is a ten-thousandth of the limit (1 for limits up to
/// 10 000), so that any node can use the rest and all nodes return the same `remaining`. A token without
/// limit needs no query. A crash of the database loses the counts of the present window, a crash of a node
/// loses its leases.
class LeasedQuota : public Quota {
 public:
  LeasedQuota(QuotaLedger& ledger, LeaseSource& source) : ledger_(ledger), source_(source) {}
  asio::awaitable<Grant> take(const Guid& token, std::int64_t limit, Time now) override;

 private:
  QuotaLedger& ledger_;
  LeaseSource& source_;
};

}  // namespace waybill::api
