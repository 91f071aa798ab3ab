#pragma once

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/row_json.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::api {

/// The author of a change.
extern const Schema actor_schema;

/// A status change of an order or a shipment.
extern const Schema order_history_schema;
extern const Schema shipment_history_schema;

/// Returns the rows of a history as an answer, without the event ids. The only row of a record without
/// changes has no event id. Throws Failure (404) with `record_kind` if there is no row.
template <storage::HasRow S>
Answer history_answer(const storage::TypedRows<S>& rows, std::string_view record_kind) {
  if (rows.empty()) throw not_found(record_kind);
  return Answer::of(rows.front().event_id ? json_array(rows.more()) : "[]");
}

}  // namespace waybill::api
