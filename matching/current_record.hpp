#pragma once

#include <optional>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "storage/database/database.hpp"

namespace waybill::matching {

/// The current entity of a record with its relatives and links to tracking pages, as in an event. Returns
/// nullopt if the business has no such record. Throws like storage::Database::read.
boost::asio::awaitable<std::optional<json::object>> current_entity(storage::Database& database,
                                                                   const Guid& business,
                                                                   domain::EntityType type,
                                                                   const Guid& record,
                                                                   std::string_view public_url);

}  // namespace waybill::matching
