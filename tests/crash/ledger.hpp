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

/// The changes of the writers and the requests of the receiver, to be compared with the database at the end.
/// Each change writes a unique text, its mark, into the notes of an order. Thread-safe.
class Ledger {
 public:
  enum class Fate { committed, rolled_back, unknown };  // unknown: the response to the commit was lost

  void wrote(std::string mark, Fate fate);
  void received(std::string mark, std::string webhook_id);

  /// True if `more` further requests arrive in time.
  bool wait_for_progress(std::size_t more, Deadline deadline);

  /// Compares; a difference is a failure of the test. Prints the figures as one line.
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

/// The city of the orders that match; other cities do not match.
inline constexpr const char* matching_city = "Lisbon";
inline constexpr const char* other_city = "Porto";

}  // namespace waybill::tests
