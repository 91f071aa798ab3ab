#pragma once

#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "storage/statement.hpp"

namespace waybill::api {

/// A status change of an order or a shipment.
extern const Schema order_history_schema;
extern const Schema shipment_history_schema;

/// Returns the status changes of the record in the path, the oldest first. `statement` takes business and
/// guid; its first column is null if no change is known, and is not part of the answer. `record_kind` is the
/// name used in Failure (404), thrown if there is no row.
asio::awaitable<Answer> answer_history(Call& call, Services& services, const storage::Statement& statement,
                                       std::string_view record_kind);

}  // namespace waybill::api
