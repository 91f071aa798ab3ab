#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/postgres.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {

/// The changes of the writers and the requests of the receiver, to be compared with the database at the end.
/// Each change writes a unique text, its mark, into the notes of an order. Thread-safe.
class Ledger {
 public:
  enum class Fate { committed, rolled_back, unknown };  // unknown: the response to the commit was lost
  using Moment = std::chrono::steady_clock::time_point;

  void wrote(std::string mark, Fate fate);
  void received(std::string mark, std::string webhook_id);
  /// The status of a response of the API, 0 if there was none, and the text of a failed one.
  void answered(int status, const std::string& failure = {});
  /// A number that no other writer of this ledger has.
  std::size_t add_writer();

  std::map<int, std::size_t> answers() const;
  /// The texts of failed responses, each once.
  std::set<std::string> failures() const;
  /// The number of changes acknowledged in a period.
  std::size_t acknowledged(Moment from, Moment until) const;
  /// The time at which the mark was first received; nullopt if it was not.
  std::optional<Moment> arrival(const std::string& mark) const;
  /// The times from the acknowledgement of the changes in a period to their webhooks. `other_city` and
  /// changes without a webhook are left out.
  std::vector<std::chrono::milliseconds> delays(Moment from, Moment until) const;
  struct SlowChange {
    std::string webhook_id;
    Moment written;
    std::chrono::milliseconds delay;
  };
  /// Returns the changes of a period whose webhook took longer than `limit`.
  std::vector<SlowChange> slow(Moment from, Moment until, std::chrono::milliseconds limit) const;

  /// True if `more` further requests arrive in time.
  bool wait_for_progress(std::size_t more, Deadline deadline);

  /// Compares; a difference is a failure of the test. Prints the figures as one line.
  void check(Session& database) const;
  /// Fails if the first webhooks of a record's changes came in another order than their events. Correct only
  /// for workflows with `ordered`. Changes written before `since` are left out.
  void check_order(Session& database, Moment since = {}) const;

  struct Losses {
    std::size_t acknowledged = 0;
    std::map<std::string, Moment> lost;  // acknowledged changes that the database does not have, and when
    std::set<std::string> unfounded;     // received, though the database does not have the change
    std::set<std::string> undelivered;   // matching changes that the database has, not received
  };
  /// Counts what a fail-over to an asynchronous standby has lost.
  Losses losses(Session& database) const;

 private:
  struct Written {
    Fate fate;
    Moment at;
  };
  struct Recorded;
  template <typename Visit>
  void visit_delays(Moment from, Moment until, Visit visit) const;
  static Recorded recorded(Session& database);
  void check_deliveries(const Recorded& events) const;
  static void check_runs(Session& database, std::size_t matching);

  mutable std::mutex mutex_;
  std::condition_variable progress_;
  std::map<std::string, Written> written_;
  std::map<std::string, Moment> arrivals_;
  std::map<int, std::size_t> answers_;
  std::set<std::string> failures_;
  std::size_t writers_ = 0;
  std::map<std::string, std::string> id_of_mark_;
  std::map<std::string, std::string> mark_of_id_;
  std::vector<std::string> contradictions_;
  std::size_t requests_ = 0;
};

/// The city of the orders that match; other cities do not match.
inline constexpr const char* matching_city = "Lisbon";
inline constexpr const char* other_city = "Porto";

}  // namespace waybill::tests
