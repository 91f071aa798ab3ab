#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
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

  /// A text that `parse` reads as these plans, with all of them; equal plans have the same.
  std::string text() const;

  /// nullptr for a plan that is not configured.
  const Plan* find(std::string_view name) const;

 private:
  std::vector<Plan> plans_;
};

/// The result of counting one request.
struct Grant {
  bool allowed = false;
  bool is_of_owner = false;  // the quota of all tokens of the owner, not the token's own
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::int64_t reset = 0;  // Unix seconds at which the window ends
};

/// The quotas that a request counts against.
struct QuotaClaim {
  Guid token;
  std::int64_t limit = 0;        // of the token, per minute
  Guid owner;                    // the business, or the user without one
  std::int64_t owner_limit = 0;  // of all tokens of the owner together; 0: none
};

/// The number of requests per minute that all tokens of an owner have together, if each has `limit`. 0 if
/// they have no common limit: `factor` is 0.
std::int64_t owner_limit(std::int64_t limit, std::int64_t factor);

/// Counts the requests of each token and owner in fixed windows of one minute of the wall clock.
class Quota {
 public:
  virtual ~Quota() = default;
  /// The grant of the token or of its owner, whichever refuses or has fewer requests left. A request that the
  /// token's quota refuses does not count against the owner's. `remaining` never grows within a window,
  /// unless a limit does. Throws DatabaseUnavailable.
  virtual asio::awaitable<Grant> take(const QuotaClaim& claim, Time now) = 0;
};

/// A part of a quota in a window, taken for one node.
struct Lease {
  std::int64_t granted = 0;
  std::int64_t used = 0;   // by all nodes, including `granted`
  bool is_shared = false;  // other nodes have leases of this window
};

/// The source of the leases of all nodes.
class LeaseSource {
 public:
  struct Request {
    Guid holder;              // a token or an owner of tokens
    std::int64_t window = 0;  // Unix minutes
    std::int64_t limit = 0;
    std::int64_t wanted = 0;
    Guid node;
    std::int64_t wanted_if_shared = 0;
    std::int64_t known_used = 0;  // by all nodes in the window, as far as the node knows
  };
  virtual ~LeaseSource() = default;
  /// The leases in the order of the requests, which have different holders and the same window and node. The
  /// source may use the window before or after; one that is farther off is replaced.
  virtual asio::awaitable<std::vector<Lease>> lease(std::vector<Request> requests) = 0;
};

/// Leases of the database's quota_windows.
class SqlLeaseSource : public LeaseSource {
 public:
  explicit SqlLeaseSource(storage::Database& db) : db_(db) {}
  asio::awaitable<std::vector<Lease>> lease(std::vector<Request> requests) override;

 private:
  storage::Database& db_;
};

/// The leases of this node in the present window of each token and owner. Thread-safe; shared by the io
/// threads.
class QuotaLedger {
 public:
  /// From this limit on, requests are not counted across nodes.
  static constexpr std::int64_t unlimited = 1'000'000'000;

  /// A quota of which a request is taken.
  struct Account {
    Guid holder;
    std::int64_t limit = 0;
    std::int64_t shared_parts = 0;  // a lease is limit / shared_parts once several nodes lease
  };
  /// A grant, or the lease that is needed first.
  using Taken = std::variant<Grant, LeaseSource::Request>;

  Taken take(const Account& account, Time now);
  /// Adds a lease and counts the request that needed it.
  Grant book(const LeaseSource::Request& request, const Lease& lease);
  /// Ends a lease request that failed.
  void give_up(const LeaseSource::Request& request);
  /// Returns the request of a grant that was not used.
  void give_back(const Guid& holder, const Grant& grant);

 private:
  struct Holding {
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
    Mutex mutex;  // no thread holds those of two shards
    std::int64_t window GUARDED_BY(mutex) = 0;
    std::unordered_map<Guid, Holding> holdings GUARDED_BY(mutex);
  };
  Shard& shard_of(const Guid& holder) { return shards_[std::hash<Guid>()(holder) % shards_.size()]; }

  const Guid node_ = Guid::random();
  std::array<Shard, 16> shards_;
};

/// The quota of all API nodes together, for one io thread. A node leases parts of a minute's quota from the
/// database and counts requests against them without another query. The first lease is 1, each further one
/// twice as large, up to a twentieth of the limit and an eighth of the rest. Together the nodes never grant
/// more than the limit; the unused part of a lease, a twentieth of the limit at most, is lost for the minute.
/// Once several nodes lease from one window, each lease of a token is a ten-thousandth of the limit (1 for
/// limits up to 10 000), so that any node can use the rest and all nodes return the same `remaining`; one of
/// an owner, whose row all its tokens lock, is a thousandth. A request that needs both leases needs one
/// query. A token without limit needs none. A crash of the database loses the counts of the present window,
/// but for what the nodes know that lease again; a crash of a node loses its leases.
class LeasedQuota : public Quota {
 public:
  LeasedQuota(QuotaLedger& ledger, LeaseSource& source) : ledger_(ledger), source_(source) {}
  asio::awaitable<Grant> take(const QuotaClaim& claim, Time now) override;

 private:
  asio::awaitable<std::vector<Grant>> settle(std::vector<QuotaLedger::Taken> taken);

  QuotaLedger& ledger_;
  LeaseSource& source_;
};

}  // namespace waybill::api
