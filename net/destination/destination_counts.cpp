#include "net/destination/destination_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace waybill::net {
namespace {

constexpr char other_kind = '*';

std::int64_t interval_number(Time at) {
  return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch() / count_interval;
}

std::string key_of(const Guid& business, std::optional<DestinationKind> kind, std::string_view destination) {
  std::string key;
  key.reserve(business.bytes.size() + 1 + destination.size());
  for (const auto byte : business.bytes) key.push_back(static_cast<char>(byte));
  key.push_back(kind ? static_cast<char>(*kind) : other_kind);
  key.append(destination);
  return key;
}

void count_one(std::uint32_t& count) {
  if (count < std::numeric_limits<std::int32_t>::max()) ++count;  // a column of type integer
}

template <std::size_t Size>
void shift(std::array<std::uint32_t, Size>& counts, std::int64_t by) {
  const auto places = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(by, Size));
  std::shift_right(counts.begin(), counts.end(), places);
  std::fill_n(counts.begin(), places, 0);
}

/// Makes `number` the newest interval. A time before the newest, after a change of the clock, counts there.
void advance(DestinationCounts::Report& report, std::int64_t& newest, std::int64_t number) {
  if (number <= newest) return;
  shift(report.succeeded, number - newest);
  shift(report.failed, number - newest);
  constexpr auto half_hour = static_cast<std::int64_t>(counts_of_half_hour);
  shift(report.durations, (number / half_hour - newest / half_hour) * std::int64_t{duration_classes});
  newest = number;
  report.interval = Time(std::chrono::duration_cast<Time::duration>(number * count_interval));
}

}  // namespace

std::string_view text(DestinationKind kind) { return destination_kinds[static_cast<std::size_t>(kind)]; }

std::size_t duration_class(Duration duration) {
  const double ms = std::chrono::duration<double, std::milli>(duration).count();
  if (ms <= 1) return 0;
  const double number = std::ceil(2 * std::log2(ms) - 1e-9);
  return std::min(static_cast<std::size_t>(number), duration_classes - 1);
}

double upper_bound_ms(std::size_t duration_class) {
  return std::exp2(static_cast<double>(duration_class) / 2);
}

void DestinationCounts::note(const EndedAttempt& attempt) {
  const std::int64_t number = interval_number(attempt.at);
  const Lock lock(mutex_);
  Entry* const entry = find_or_make(attempt);
  if (entry == nullptr) return;
  advance(entry->report, entry->newest, number);
  count_one(attempt.succeeded ? entry->report.succeeded.front() : entry->report.failed.front());
  count_one(entry->report.durations[duration_class(attempt.duration)]);
  if (attempt.health.places > 0) {
    entry->report.health = attempt.health;
  } else if (entry->report.health.places == 0) {
    entry->report.health.places = 1;
  }
  if (attempt.workflow) note_workflow(entry->report.workflows, *attempt.workflow);
}

DestinationCounts::Entry* DestinationCounts::find_or_make(const EndedAttempt& attempt) {
  const bool is_other = attempt.destination == other_destinations;
  Key key =
      key_of(attempt.business, is_other ? std::nullopt : std::optional(attempt.kind), attempt.destination);
  const auto found = entries_.find(key);
  Entry* entry = found == entries_.end() ? nullptr : &found->second;
  if (entry == nullptr && !is_other) {
    const auto count = destinations_of_.find(attempt.business);
    if (count != destinations_of_.end() && count->second >= options_.most_of_business) {
      EndedAttempt other = attempt;
      other.destination = other_destinations;
      return find_or_make(other);
    }
  }
  if (entry == nullptr) entry = make(key, attempt, is_other);
  if (entry != nullptr) note_change(key, *entry);
  return entry;
}

DestinationCounts::Entry* DestinationCounts::make(Key key, const EndedAttempt& attempt, bool is_other) {
  if (entries_.size() >= options_.most && !make_room()) return nullptr;
  Entry& entry = entries_[std::move(key)];
  entry.report.business = attempt.business;
  if (!is_other) {
    entry.report.kind = attempt.kind;
    ++destinations_of_[attempt.business];
  }
  entry.report.destination = attempt.destination;
  return &entry;
}

/// Forgets the published destinations whose last attempt is longest ago, a tenth at a time, so that many
/// additions share the cost. False if all wait for publication.
bool DestinationCounts::make_room() {
  std::vector<decltype(entries_)::iterator> published;
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (!it->second.is_changed) published.push_back(it);
  }
  const std::size_t count = std::min(published.size(), options_.most / 10 + 1);
  std::ranges::partial_sort(published, published.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [](const auto& it) { return it->second.newest; });
  published.resize(count);
  for (const auto& it : published) {
    const Report& report = it->second.report;
    if (report.kind) {
      const auto of_business = destinations_of_.find(report.business);
      if (--of_business->second == 0) destinations_of_.erase(of_business);
    }
    entries_.erase(it);
  }
  return count > 0;
}

void DestinationCounts::note_change(const Key& key, Entry& entry) {
  if (!std::exchange(entry.is_changed, true)) changed_.push_back(key);
}

void DestinationCounts::note_workflow(std::vector<Guid>& workflows, const Guid& workflow) const {
  const auto found = std::ranges::find(workflows, workflow);
  if (found != workflows.end()) {
    std::rotate(workflows.begin(), found, found + 1);
    return;
  }
  if (workflows.size() >= options_.most_workflows) workflows.pop_back();
  workflows.insert(workflows.begin(), workflow);
}

std::vector<DestinationCounts::Report> DestinationCounts::take_changed(std::size_t most) {
  std::vector<Report> reports;
  const Lock lock(mutex_);
  while (!changed_.empty() && reports.size() < most) {
    Entry& entry = entries_.at(changed_.front());  // a changed entry is never forgotten
    changed_.pop_front();
    entry.is_changed = false;
    reports.push_back(entry.report);
  }
  return reports;
}

void DestinationCounts::not_published(const std::vector<Report>& reports) {
  const Lock lock(mutex_);
  for (const Report& report : reports) {
    const Key key = key_of(report.business, report.kind, report.destination);
    const auto found = entries_.find(key);
    if (found != entries_.end()) note_change(key, found->second);
  }
}

}  // namespace waybill::net
