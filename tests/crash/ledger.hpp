#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/harness/postgres.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {

/// What the writers did and what the receiver got, to be compared with the database in the end. Each change
/// writes a text into an order's notes that no other change writes: its mark. Thread-safe.
class Ledger {
 public:
  enum class Fate { committed, rolled_back, unknown };  // unknown: the answer to the commit was lost

  void wrote(std::string mark, Fate fate);
  void received(std::string mark, std::string webhook_id);

  /// True when `more` further requests have been received in time.
  bool wait_for_progress(std::size_t more, Deadline deadline);

  /// Compares; what disagrees becomes a failure of the test, and the figures a line of its output.
  void check(Session& database) const;

 private:
  struct Recorded;
  static Recorded recorded(Session& database);
  void check_deliveries(const Recorded& events) const;
  static void check_runs(Session& database, std::size_t matching);

  mutable std::mutex mutex_;
  std::condition_variable progress_;
  std::map<std::string, Fate> written_;
  std::map<std::string, std::string> id_of_mark_;
  std::map<std::string, std::string> mark_of_id_;
  std::vector<std::string> contradictions_;
  std::size_t requests_ = 0;
};

/// Orders of this city match, others do not.
inline constexpr const char* matching_city = "Lisbon";
inline constexpr const char* other_city = "Porto";

}  // namespace waybill::tests
