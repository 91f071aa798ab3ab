#include "tests/crash/ledger.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <set>

#include <gtest/gtest.h>

namespace waybill::tests {
namespace {

constexpr std::size_t shown = 5;

// The first few elements of a collection that should be empty.
template <class Set>
std::string some(const Set& set) {
  std::string text = std::to_string(set.size());
  std::size_t count = 0;
  for (const auto& element : set) {
    if (++count > shown) break;
    text += " " + element;
  }
  return text;
}

}  // namespace

struct Ledger::Recorded {
  std::set<std::string> matching;  // ids of the committed changes that must fire a workflow
  std::set<std::string> others;
};

void Ledger::wrote(std::string mark, Fate fate) {
  const std::lock_guard lock(mutex_);
  written_.insert_or_assign(std::move(mark), Written{fate, std::chrono::steady_clock::now()});
}

void Ledger::answered(int status, const std::string& failure) {
  const std::lock_guard lock(mutex_);
  ++answers_[status];
  if (!failure.empty()) failures_.insert(failure);
}

std::size_t Ledger::add_writer() {
  const std::lock_guard lock(mutex_);
  return ++writers_;
}

std::set<std::string> Ledger::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

std::map<int, std::size_t> Ledger::answers() const {
  const std::lock_guard lock(mutex_);
  return answers_;
}

std::optional<Ledger::Moment> Ledger::arrival(const std::string& mark) const {
  const std::lock_guard lock(mutex_);
  const auto found = arrivals_.find(mark);
  return found == arrivals_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Ledger::acknowledged(Moment from, Moment until) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(written_, [&](const auto& entry) {
    const Written& written = entry.second;
    return written.fate == Fate::committed && written.at >= from && written.at < until;
  }));
}

// Calls `visit` for each change in a period that has a webhook, with its mark, moment and delay.
template <typename Visit>
void Ledger::visit_delays(Moment from, Moment until, Visit visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [mark, written] : written_) {
    if (written.fate != Fate::committed || written.at < from || written.at >= until) continue;
    const auto arrival = arrivals_.find(mark);
    if (arrival == arrivals_.end()) continue;
    visit(mark, written.at,
          std::max(std::chrono::ceil<std::chrono::milliseconds>(arrival->second - written.at),
                   std::chrono::milliseconds::zero()));
  }
}

std::vector<std::chrono::milliseconds> Ledger::delays(Moment from, Moment until) const {
  std::vector<std::chrono::milliseconds> result;
  visit_delays(from, until,
               [&](const std::string& /*mark*/, Moment /*written*/, auto delay) { result.push_back(delay); });
  return result;
}

std::vector<Ledger::SlowChange> Ledger::slow(Moment from, Moment until,
                                             std::chrono::milliseconds limit) const {
  std::vector<SlowChange> result;
  visit_delays(from, until, [&](const std::string& mark, Moment written, auto delay) {
    if (delay > limit)
      result.push_back({.webhook_id = id_of_mark_.at(mark), .written = written, .delay = delay});
  });
  return result;
}

void Ledger::received(std::string mark, std::string webhook_id) {
  const std::lock_guard lock(mutex_);
  const auto [by_mark, new_mark] = id_of_mark_.emplace(mark, webhook_id);
  const auto [by_id, new_id] = mark_of_id_.emplace(webhook_id, mark);
  if (by_mark->second != webhook_id || by_id->second != mark) {
    contradictions_.push_back(mark + " came as " + webhook_id + " and " + by_mark->second);
  }
  arrivals_.emplace(mark, std::chrono::steady_clock::now());
  ++requests_;
  progress_.notify_all();
}

bool Ledger::wait_for_progress(std::size_t more, Deadline deadline) {
  std::unique_lock lock(mutex_);
  const std::size_t wanted = requests_ + more;
  return progress_.wait_for(lock, deadline, [&] { return requests_ >= wanted; });
}

Ledger::Recorded Ledger::recorded(Session& database) {
  Recorded result;
  for (const auto& row : database.rows("select (order_after).notes, (order_after).delivery_city from events "
                                       "where (order_after).notes is distinct from (order_before).notes")) {
    auto& marks = row.at(1) == matching_city ? result.matching : result.others;
    const std::string mark = row.at(0).value_or("");
    EXPECT_TRUE(marks.insert(mark).second) << "two events of one change: " << mark;
  }
  return result;
}

void Ledger::check_deliveries(const Recorded& events) const {
  std::set<std::string> lost;
  std::set<std::string> appeared;
  std::set<std::string> undelivered;
  std::set<std::string> unfounded;
  for (const auto& [mark, written] : written_) {
    const Fate fate = written.fate;
    const bool there = events.matching.contains(mark) || events.others.contains(mark);
    if (fate == Fate::committed && !there) lost.insert(mark);
    if (fate == Fate::rolled_back && there) appeared.insert(mark);
  }
  for (const std::string& mark : events.matching) {
    if (!id_of_mark_.contains(mark)) undelivered.insert(mark);
  }
  for (const auto& [mark, id] : id_of_mark_) {
    if (!events.matching.contains(mark)) unfounded.insert(mark);
  }
  EXPECT_TRUE(lost.empty()) << "committed changes without an event: " << some(lost);
  EXPECT_TRUE(appeared.empty()) << "events of changes that were rolled back: " << some(appeared);
  EXPECT_TRUE(undelivered.empty()) << "matching events that were never received: " << some(undelivered);
  EXPECT_TRUE(unfounded.empty()) << "received without a matching event: " << some(unfounded);
  EXPECT_TRUE(contradictions_.empty()) << "webhook-ids that changed: " << some(contradictions_);
}

void Ledger::check_runs(Session& database, std::size_t matching) {
  EXPECT_EQ(database.number("select count(*) from pending_events"), 0);
  EXPECT_EQ(database.number("select count(*) from run_queue"), 0);
  const std::string webhooks =
      "workflow_id in (select guid from workflows where action ->> 'type' = 'webhook')";
  EXPECT_EQ(database.number("select count(*) from all_runs where " + webhooks),
            static_cast<std::int64_t>(matching));
  EXPECT_EQ(database.number("select count(distinct (event_id, workflow_id)) from all_runs where " + webhooks),
            static_cast<std::int64_t>(matching));
  EXPECT_EQ(database.number("select count(*) from all_runs where status <> 'succeeded'"), 0);
  EXPECT_EQ(database.number("select sum(runs) from run_counts where unit = 'hour' and " + webhooks),
            static_cast<std::int64_t>(matching))
      << "counted";
}

void Ledger::check(Session& database) const {
  const std::lock_guard lock(mutex_);
  const Recorded events = recorded(database);
  check_deliveries(events);
  check_runs(database, events.matching.size());
  std::size_t unknown = 0;
  for (const auto& [mark, written] : written_) unknown += written.fate == Fate::unknown ? 1 : 0;
  std::cout << "changes " << written_.size() << " (" << unknown << " with a lost answer), matching events "
            << events.matching.size() << ", requests received " << requests_ << ", repeated "
            << requests_ - id_of_mark_.size() << " (" << std::setprecision(3)
            << 100.0 * static_cast<double>(requests_ - id_of_mark_.size()) /
                   static_cast<double>(std::max<std::size_t>(requests_, 1))
            << " %)\n";
}

void Ledger::check_order(Session& database, Moment since) const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> overtaken;
  std::string record;
  std::optional<Moment> latest;
  for (const auto& row : database.rows(
           "select entity_id, (order_after).notes from events where (order_after).notes is distinct "
           "from (order_before).notes order by entity_id, id")) {
    if (row.at(0) != record) latest.reset();
    record = row.at(0).value_or("");
    const std::string mark = row.at(1).value_or("");
    const auto arrival = arrivals_.find(mark);
    if (arrival == arrivals_.end()) continue;
    if (const auto written = written_.find(mark); written == written_.end() || written->second.at < since)
      continue;
    if (latest && arrival->second < *latest) overtaken.insert(mark);
    latest = latest ? std::max(*latest, arrival->second) : arrival->second;
  }
  EXPECT_TRUE(overtaken.empty()) << "came before an earlier change of the record: " << some(overtaken);
}

Ledger::Losses Ledger::losses(Session& database) const {
  const std::lock_guard lock(mutex_);
  const Recorded events = recorded(database);
  Losses result;
  for (const auto& [mark, written] : written_) {
    if (written.fate != Fate::committed) continue;
    ++result.acknowledged;
    if (!events.matching.contains(mark) && !events.others.contains(mark))
      result.lost.emplace(mark, written.at);
  }
  for (const std::string& mark : events.matching) {
    if (!id_of_mark_.contains(mark)) result.undelivered.insert(mark);
  }
  for (const auto& [mark, id] : id_of_mark_) {
    if (!events.matching.contains(mark)) result.unfounded.insert(mark);
  }
  return result;
}

}  // namespace waybill::tests
