#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "net/destination/circuit_breaker.hpp"

namespace waybill::net {

enum class DestinationKind : std::uint8_t { webhook, push, mail, store, carrier };
/// The names of the kinds, in their order.
inline constexpr std::string_view destination_kinds[] = {"webhook", "push", "mail", "store", "carrier"};
std::string_view text(DestinationKind kind);

/// The name under which the destinations of a business beyond the limit are counted. It has no kind.
inline constexpr std::string_view other_destinations = "others";

/// An attempt at a destination that has ended.
struct EndedAttempt {
  Guid business;
  DestinationKind kind{};
  std::string_view destination;  // host:port, without paths and credentials
  std::optional<Guid> workflow = std::nullopt;
  bool succeeded = false;
  Duration duration{};
  Time at{};
  CircuitBreaker::Health health = {};  // after the attempt; without places: no breaker, the last state stays
};

/// The time that one count covers, and the number of them in an hour.
inline constexpr Duration count_interval = std::chrono::minutes(5);
inline constexpr std::size_t counts_of_hour = 12;
/// Durations are counted in classes for each half hour, the present and the previous one.
inline constexpr std::size_t counts_of_half_hour = 6;
inline constexpr std::size_t duration_classes = 32;
/// The class of a duration. Its upper bound is `upper_bound_ms`.
std::size_t duration_class(Duration duration);
/// In milliseconds: 1 for the first class, and for each further class the square root of 2 times as much.
double upper_bound_ms(std::size_t duration_class);

/// Counts the attempts at destinations, by business, for publication. At most `most_of_business` destinations
/// of a business have counts of their own, and at most `most` of all; further ones of a business are counted
/// together, and while no destination can be forgotten, attempts at new ones are not counted. Thread-safe. A
/// crash loses what was not published, and the hour's counts begin at zero.
class DestinationCounts {
 public:
  struct Options {
    std::size_t most_of_business = 200;
    std::size_t most = 20'000;  // about 700 bytes each
    std::size_t most_workflows = 20;
  };

  /// The present values of one destination of a business.
  struct Report {
    Guid business;
    std::optional<DestinationKind> kind;  // nullopt for `other_destinations`
    std::string destination;
    CircuitBreaker::Health health;
    Time interval{};  // begin of the newest count; the others are each `count_interval` earlier
    std::array<std::uint32_t, counts_of_hour> succeeded{};  // newest first
    std::array<std::uint32_t, counts_of_hour> failed{};
    // By class: of the half hour (of the epoch) with `interval`, then of the one before.
    std::array<std::uint32_t, 2 * duration_classes> durations{};
    std::vector<Guid> workflows;  // those whose runs went there last, the last one first
  };

  DestinationCounts() : DestinationCounts(Options()) {}
  explicit DestinationCounts(Options options) : options_(options) {}

  void note(const EndedAttempt& attempt) EXCLUDES(mutex_);
  /// Returns up to `most` of the reports that changed since they were taken, the first changed first.
  std::vector<Report> take_changed(std::size_t most) EXCLUDES(mutex_);
  /// Makes `take_changed` return these destinations again, with their then present values.
  void not_published(const std::vector<Report>& reports) EXCLUDES(mutex_);

 private:
  struct Entry {
    Report report;
    std::int64_t newest = 0;  // number of the interval since the epoch
    bool is_changed = false;
  };
  using Key = std::string;  // business, kind and name

  Entry* find_or_make(const EndedAttempt& attempt) REQUIRES(mutex_);
  Entry* make(Key key, const EndedAttempt& attempt, bool is_other) REQUIRES(mutex_);
  bool make_room() REQUIRES(mutex_);
  void note_change(const Key& key, Entry& entry) REQUIRES(mutex_);
  void note_workflow(std::vector<Guid>& workflows, const Guid& workflow) const;

  const Options options_;
  Mutex mutex_;
  std::unordered_map<Key, Entry> entries_ GUARDED_BY(mutex_);
  std::unordered_map<Guid, std::size_t> destinations_of_ GUARDED_BY(mutex_);  // entries by business
  std::deque<Key> changed_ GUARDED_BY(mutex_);
};

}  // namespace waybill::net
