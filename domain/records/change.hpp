#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// A row's values as PostgreSQL prints them, one for each own field of the record type that has a column, at
/// the field's index (an index without a column holds nullopt). The views must outlive the call they are
/// given to.
using Row = std::vector<std::optional<std::string_view>>;

/// One event, in the shape the API shows records in.
struct Change {
  EntityType type{};
  bool created = false;
  bool deleted = false;
  json::object entity;    // the record after the change; of a deleted record its last state
  json::object previous;  // the old values of what changed, nested as in `entity`; {} for created and deleted
  FieldSet changed;       // by index into RecordType::fields
  std::optional<std::string> previous_status;  // when the status changed
  bool dispatched = false;                     // a shipment: put into a dispatch, or into another one
};

/// Builds a Change from the rows before and after; exactly one of them may be absent. An object of the API
/// whose parts are all null is null, but for a shipment's sender and recipient. `customer` and `carrier` hold
/// only their guid until the relatives are filled in, and a related list (an order's shipments) is empty.
/// Both objects live in `memory`, which a caller on a hot path backs with a monotonic_resource. Any thread.
/// Throws std::invalid_argument when a value is not of its field's type; the message names the field, not the
/// value.
Change make_change(const RecordType& type, const Row* before, const Row* after,
                   const json::storage_ptr& memory = {});

}  // namespace waybill::domain
