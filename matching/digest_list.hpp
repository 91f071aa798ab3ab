#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "domain/workflows/digest.hpp"

namespace waybill::matching {

/// The members that an item of a digest has besides those of the record: `event` and `previous`. `type` is
/// the code of a trigger.
json::object item_members(std::uint64_t event_id, std::string_view type, Time at,
                          const json::object& previous);

/// The list of a digest with one event, for tests of a workflow.
json::object list_of_one(const domain::Digest& digest, json::object entity, const json::object& previous,
                         std::uint64_t event_id, std::string_view type, Time at);

}  // namespace waybill::matching
