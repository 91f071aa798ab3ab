#pragma once

#include <string_view>

#include "base/json.hpp"
#include "domain/records/change.hpp"
#include "storage/events/outbox.hpp"

namespace waybill::matching {

/// Adds the keys of the relatives of an entity to `wanted`, with the tokens of tracking pages if
/// `with_pages`.
void collect_relatives(const Guid& business, const Guid& entity_id, domain::EntityType type,
                       const json::object& entity, storage::RelativesWanted& wanted, bool with_pages = false);

/// As above, with those that the old values of a change need.
void collect_relatives(const Guid& business, const Guid& entity_id, const domain::Change& change,
                       storage::RelativesWanted& wanted, bool with_pages = false);

/// Adds the carriers whose patterns make a shipment's link before and after a change that may change it.
void collect_carriers_of_link(const Guid& business, const domain::Change& change,
                              storage::RelativesWanted& wanted);

/// The relatives of a batch of entities, by their keys. Refers to the rows it is built from.
class RelativeIndex {
 public:
  /// Without a public URL (of the service), entities have no links to tracking pages. The URL is not copied.
  explicit RelativeIndex(const std::vector<storage::Relative>& relatives, std::string_view public_url = {});

  /// Puts the relatives into an entity: customer {guid, name, email, phone}, carrier {guid, name}, an order's
  /// shipments and source.integration {guid, name, provider}, a shipment's carrierTrackingUrl by the
  /// carrier's pattern, and the trackingUrl of shipments whose tokens were read.
  void fill(const Guid& business, const Guid& entity_id, domain::EntityType type, json::object& entity) const;
  /// As above for the entity of a change, and `fill_previous`.
  void fill(const Guid& business, const Guid& entity_id, domain::Change& change) const;
  /// Gives `previous` the link that a shipment showed before the change, by the pattern of its carrier then,
  /// if the link after it is another. The entity of the change must not be filled yet.
  void fill_previous(const Guid& business, domain::Change& change) const;

 private:
  struct Hash {
    std::size_t operator()(const storage::RelativeKey& key) const;
  };
  using ByKey = std::unordered_multimap<storage::RelativeKey, const storage::Relative*, Hash>;

  const storage::Relative* find(storage::Relative::Kind kind, const Guid& business,
                                const json::object& object) const;

  json::value shown_link(const Guid& business, const json::value& link, const json::value& number,
                         const json::value& carrier) const;
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
void fill_relatives(storage::Outbox& outbox, const Guid& business, const Guid& entity_id,
                    domain::Change& change, const TrackingPages& pages = {});

/// As RelativeIndex::fill_previous. Reads nothing unless the link may have changed.
void fill_previous(storage::Outbox& outbox, const Guid& business, domain::Change& change);

}  // namespace waybill::matching
