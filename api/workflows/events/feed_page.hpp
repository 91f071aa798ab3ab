#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "api/endpoint/endpoint.hpp"
#include "domain/records/record_type.hpp"
#include "matching/past.hpp"

namespace waybill::api {

/// An event of the feed.
extern const Schema feed_event_schema;

/// The events that a reader of the feed asks for.
struct FeedWanted {
  std::optional<domain::EntityType> entity_type;
  std::optional<std::string> type;  // the code of the narrowest trigger
  std::size_t limit;
  bool filters() const { return entity_type || type; }
};

/// Chooses the events of a page out of stored ones, and writes them as JSON. One thread; the session and
/// `wanted` must outlive it.
class FeedPage {
 public:
  FeedPage(storage::Session& session, const FeedWanted& wanted) : wanted_(wanted), past_(session) {}

  /// Adds the wanted ones of the events, in their order. Returns the number of events that were examined:
  /// all, or those before the first one for which the page has no place. Throws as PastReader does.
  std::size_t add(std::span<const storage::StoredEvent> stored);

  /// Returns the number of the wanted ones of the events. Throws as PastReader does.
  std::size_t count(std::span<const storage::StoredEvent> stored);

  /// True if no further event fits, by number or by size.
  bool is_full() const;
  std::size_t free() const { return wanted_.limit - count_; }
  /// The events as JSON, separated by commas.
  std::string take() { return std::move(data_); }

 private:
  const FeedWanted& wanted_;
  matching::PastReader past_;
  std::size_t count_ = 0;
  std::string data_;
};

}  // namespace waybill::api
