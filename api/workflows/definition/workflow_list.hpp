#pragma once

#include <optional>
#include <unordered_map>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::api {

inline constexpr std::string_view workflow_statuses[] = {"active", "disabled", "paused"};

/// The properties of an entry of a list of workflows, and of one of the overview.
extern const Schema workflow_entry_schema;
extern const Schema overview_entry_schema;

/// Returns the workflows of an entity type as listed, with their state and the numbers of their runs.
asio::awaitable<json::array> listed_workflows(const Call& call, Services& services, domain::EntityType type,
                                              bool include_managed);

/// Returns the workflows of all entity types, with managed ones, as `listed_workflows`, and what is expected
/// of them.
asio::awaitable<json::array> all_workflows(const Call& call, Services& services);

}  // namespace waybill::api
