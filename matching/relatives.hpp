#pragma once

#include <string_view>

#include "base/json.hpp"
#include "storage/events/outbox.hpp"

namespace waybill::matching {

/// Adds the keys of the relatives of an entity to `wanted`, with the tokens of tracking pages if
/// `with_pages`.
void collect_relatives(const Guid& business, const Guid& entity_id, domain::EntityType type,
                       const json::object& entity, storage::RelativesWanted& wanted, bool with_pages = false);

/// The relatives of a batch of entities, by their keys. Refers to the rows it is built from.
class RelativeIndex {
 public:
  /// Without a public URL (of the service), entities have no links to tracking pages. The URL is not copied.
  explicit RelativeIndex(const std::vector<storage::Relative>& relatives, std::string_view public_url = {});

  /// Puts the relatives into an entity: customer {guid, name, email, phone}, carrier {guid, name}, an order's
  /// shipments and source.integration {guid, name, provider}, a shipment's carrierTrackingUrl by the
  /// carrier's pattern, and the trackingUrl of shipments whose tokens were read.
  void fill(const Guid& business, const Guid& entity_id, domain::EntityType type, json::object& entity) const;

 private:
  struct Hash {
    std::size_t operator()(const storage::RelativeKey& key) const;
  };
  using ByKey = std::unordered_multimap<storage::RelativeKey, const storage::Relative*, Hash>;

  const storage::Relative* find(storage::Relative::Kind kind, const Guid& business,
                                const json::object& object) const;

  std::string tracking_url(std::string_view token) const;

  std::string_view public_url_;
  ByKey by_kind_[storage::relative_kinds];
};

/// Says whether one entity gets links to tracking pages, and their URL.
struct TrackingPages {
  bool wanted = false;
  std::string_view public_url;
};

/// Reads the relatives of one entity through `outbox` and puts them into it. Throws like Outbox::relatives.
void fill_relatives(storage::Outbox& outbox, const Guid& business, const Guid& entity_id,
                    domain::EntityType type, json::object& entity, const TrackingPages& pages = {});

}  // namespace waybill::matching
