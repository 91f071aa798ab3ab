#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

inline constexpr int usual_digest_items = 100;
inline constexpr int most_digest_items = 1'000;
inline constexpr Duration usual_at_most = std::chrono::days(1);
/// The largest list of a digest, in bytes of JSON.
inline constexpr std::size_t largest_digest = std::size_t{8} << 20U;

/// When a digest is closed.
struct DigestTerms {
  Duration every{};               // after its first event; zero: `quiet` counts
  Duration quiet{};               // after its last event
  Duration at_most = Duration();  // after its first event, with `quiet`
  int max = usual_digest_items;   // items

  bool operator==(const DigestTerms&) const = default;
  /// The time at which a digest with these events is due.
  Time due(Time first_event, Time last_event) const;
  /// The longest time from the first event until it is due.
  Duration longest() const { return every > Duration::zero() ? every : at_most; }
};

/// The times and the size of an open digest. The times are those of its events, so that a delay of the
/// matching does not change which events come together.
struct DigestExtent {
  Time began_at;  // the time of its first event
  Time last_at;   // the latest time of its events
  Time due_at;
  int count = 0;
  std::size_t bytes = 0;  // of its list
  bool is_full = false;   // it takes no more events

  /// A digest that begins with an event at this time, which it does not contain yet. `value_bytes` are those
  /// of the JSON by which it collects.
  static DigestExtent begun(Time at, std::size_t value_bytes);
  /// True if it can take an event with an item of this size: it is neither due before the event nor too
  /// large.
  bool takes(Time at, std::size_t item_bytes) const;
  void add(const DigestTerms& terms, Time at, std::size_t item_bytes);
  /// Ends it because of an event at this time.
  void fill(Time at);
};

/// The events of a workflow are collected, for each value of a field, and one run begins for those of one
/// digest: `{by, every | quiet, atMost, max}`.
struct Digest {
  std::optional<std::string> by;  // a path of the record; nullopt: all events have the value null
  DigestTerms terms;

  bool operator==(const Digest&) const = default;
  /// The members as the API shows them; those without a value are null.
  json::object shown() const;
  /// The value by which the event of a record is collected.
  json::value value_of(const json::object& entity) const;
};

/// A hash of such a value as JSON.
Guid digest_value_key(std::string_view value);

/// Reads the member `digest` of a workflow's definition; nullopt for null. Errors name the member
/// ("digest.by"); the result is then not used.
std::optional<Digest> parse_digest(const json::value& definition, const RecordType& type,
                                   FieldErrors& errors);

}  // namespace waybill::domain
