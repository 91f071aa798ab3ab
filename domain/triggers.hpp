#pragma once

#include <bitset>
#include <span>
#include <string_view>
#include <vector>

#include "base/guid.hpp"
#include "domain/records/change.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

struct Trigger {
  Guid guid;  // UUIDv5 in the URL namespace of "waybill:trigger:CODE"
  std::string_view code;
  std::string_view name;
  std::string_view description;
  EntityType entity_type;
};

using TriggerSet = std::bitset<64>;  // by index into triggers()

/// All triggers, grouped by entity type.
std::span<const Trigger> triggers();
std::span<const Trigger> triggers(EntityType type);
/// The codes of the catalogue. Can be called before main.
std::span<const std::string_view> trigger_codes();
/// Null if unknown.
const Trigger* find_trigger(const Guid& guid);
const Trigger* find_trigger(std::string_view code);
std::size_t trigger_index(const Trigger& trigger);

/// The triggers that fire for a change.
TriggerSet fired_triggers(const Change& change);

/// The triggers of a set, the narrowest first: `order_shipped`, `order_status_changed`, `order_updated`.
std::vector<const Trigger*> narrowest_first(const TriggerSet& set);

}  // namespace waybill::domain
