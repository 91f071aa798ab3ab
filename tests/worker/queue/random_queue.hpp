#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/model/run_queue_model.hpp"

namespace waybill::tests {

/// A workflow of a random queue. Some have no row in the database, as if they had been purged.
struct RandomWorkflow {
  Guid guid;
  Guid business;
  std::optional<Time> created_at;  // nullopt: no row
};

/// A row with the columns that tell whether its action changes a record.
struct RandomRow {
  QueuedRow row;
  std::string action;
  std::optional<std::string> changing_action;
  std::string request;
};

/// Draws queues in which runs often wait for each other, and looks for due runs. Times lie at the bounds that
/// the statements compare, or next to them. Pure; the same seed draws the same.
class RandomQueue {
 public:
  explicit RandomQueue(std::uint64_t seed) : random_(seed) {}

  /// The workflows of all queues.
  static const std::vector<RandomWorkflow>& workflows();
  /// The time at which all statements run, unless a test moves on.
  static constexpr Time now{std::chrono::hours(500'000)};

  std::vector<RandomRow> rows(std::size_t count);
  QueueLook look(const RunQueueModel& queue);
  /// Some ordered runs of the queue, which are about to end.
  std::vector<EndedRun> ends(const RunQueueModel& queue);

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  template <typename Values>
  auto one_of(const Values& values) {
    return *std::next(std::begin(values), static_cast<std::ptrdiff_t>(below(std::size(values))));
  }

 private:
  RandomRow row();
  Guid guid();
  Time due_at();

  std::mt19937_64 random_;
  // Either of two runs that are due at the same time, or that have the same place in the order of a record,
  // may be the first, so no two are drawn.
  std::set<std::pair<std::string, Time>> due_times_;
  std::set<std::tuple<Guid, Guid, std::int64_t, bool>> orders_;
};

}  // namespace waybill::tests
