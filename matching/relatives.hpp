#pragma once

#include <string_view>

#include "base/json.hpp"
#include "storage/outbox.hpp"

namespace waybill::matching {

/// Adds the keys of the relatives of an entity to `wanted`.
void collect_relatives(const Guid& business, const Guid& entity_id, domain::EntityType type,
                       const json::object& entity, storage::RelativesWanted& wanted);

/// The relatives of a batch of entities, by their keys. Refers to the rows it is built from.
class RelativeIndex {
 public:
  explicit RelativeIndex(const std::vector<storage::Relative>& relatives);

  /// Puts the relatives into an entity: customer {guid, name, email}, carrier {guid, name}, an order's
  /// shipments.
  void fill(const Guid& business, const Guid& entity_id, domain::EntityType type, json::object& entity) const;

 private:
  struct Hash {
    std::size_t operator()(const storage::RelativeKey& key) const;
  };
  using ByKey = std::unordered_multimap<storage::RelativeKey, const storage::Relative*, Hash>;

  const storage::Relative* find(storage::Relative::Kind kind, const Guid& business,
                                const json::object& object) const;

  ByKey by_kind_[3];
};

/// Reads the relatives of one entity through `outbox` and puts them into it. Throws like Outbox::relatives.
void fill_relatives(storage::Outbox& outbox, const Guid& business, const Guid& entity_id,
                    domain::EntityType type, json::object& entity);

}  // namespace waybill::matching
