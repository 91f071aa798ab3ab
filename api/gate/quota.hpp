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
#include "storage/database.hpp"

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

/// Counts the requests of each token in fixed windows of one minute of the wall clock.
class Quota {
 public:
  virtual ~Quota() = default;
  /// `remaining` never grows within a window, unless the limit does. Throws DatabaseUnavailable.
  virtual asio::awaitable<Grant> take(const Guid& token, std::int64_t limit, Time now) = 0;
};

/// A part of a token's window, taken for one node.
struct Lease {
  std::int64_t granted = 0;
  std::int64_t used = 0;   // by all nodes, with what is granted
  bool is_shared = false;  // other nodes took of this window too
};

/// Where all nodes take their leases from.
class LeaseSource {
 public:
  struct Wish {
    Guid token;
    std::int64_t window = 0;  // Unix minutes
    std::int64_t limit = 0;
    std::int64_t wanted = 0;
    Guid node;
    std::int64_t wanted_if_shared = 0;
  };
  virtual ~LeaseSource() = default;
  virtual asio::awaitable<Lease> lease(const Wish& wish) = 0;
};

/// Leases of the database's quota_windows.
class SqlLeaseSource : public LeaseSource {
 public:
  explicit SqlLeaseSource(storage::Database& db) : db_(db) {}
  asio::awaitable<Lease> lease(const Wish& wish) override;

 private:
  storage::Database& db_;
};

/// What this node, with all its threads, has of each token's present window. Thread-safe.
class QuotaLedger {
 public:
  /// From this limit on nobody counts for others.
  static constexpr std::int64_t unlimited = 1'000'000'000;

  /// A grant, or what has to be leased before there can be one.
  std::variant<Grant, LeaseSource::Wish> take(const Guid& token, std::int64_t limit, Time now);
  /// Books a lease, and grants out of it the request that it was wanted for.
  Grant book(const LeaseSource::Wish& wish, const Lease& lease);
  /// A lease that could not be had.
  void give_up(const LeaseSource::Wish& wish);

 private:
  struct Account {
    std::int64_t limit = 0;
    std::int64_t used = 0;   // by all nodes, as of the last lease
    std::int64_t left = 0;   // of our leases
    std::int64_t chunk = 1;  // of the next lease
    std::int64_t told = 0;   // the lowest `remaining` that was answered
    bool is_leasing = false;
    bool is_exhausted = false;

    std::int64_t next_wanted() const;
    Grant grant(std::int64_t window, bool allowed);
  };
  struct Shard {
    std::mutex mutex;
    std::int64_t window = 0;
    std::unordered_map<Guid, Account> accounts;
  };
  Shard& shard_of(const Guid& token) { return shards_[std::hash<Guid>()(token) % shards_.size()]; }

  const Guid node_ = Guid::random();
  std::array<Shard, 16> shards_;
};

/// The quota of all API nodes together, for one io thread. A node leases parts of a token's minute from the
/// database and grants out of them without asking again: one at first, twice as many each time, up to a
/// twentieth of the limit and an eighth of what is left of it. Together the nodes never grant more than the
/// limit; what a node has leased and does not use, a twentieth at most, is lost for the minute. As soon as
/// several nodes lease from one window, each takes a ten-thousandth of the limit at a time (so one, up to
/// 10 000 a minute): the last ones go to whoever asks, and the nodes tell the same `remaining`. A token
/// without limit costs no look at the database. A crash of the database forgets the running window, one of a
/// node what it had leased.
class LeasedQuota : public Quota {
 public:
  LeasedQuota(QuotaLedger& ledger, LeaseSource& source) : ledger_(ledger), source_(source) {}
  asio::awaitable<Grant> take(const Guid& token, std::int64_t limit, Time now) override;

 private:
  QuotaLedger& ledger_;
  LeaseSource& source_;
};

}  // namespace waybill::api
