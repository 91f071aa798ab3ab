#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// A row's values as PostgreSQL prints them, each at the index of its field in the record type (nullopt for a
/// field without a column). The views must outlive the call that gets them.
using Row = std::vector<std::optional<std::string_view>>;

/// One event, with records in the shape of the API.
struct Change {
  EntityType type{};
  bool created = false;
  bool deleted = false;
  json::object entity;    // the record after the change; the last state of a deleted record
  json::object previous;  // the old values of changed fields, nested as in `entity`; {} if created or deleted
  FieldSet changed;       // by index into RecordType::fields
  std::optional<std::string> previous_status;  // set if the status changed
  bool dispatched = false;                     // true if a shipment was put into a dispatch
};

/// Builds a Change from the rows before and after; exactly one of them may be absent. An object of the API
/// whose parts are all null is null, except a shipment's sender and recipient. `customer` and `carrier` have
/// only their guid until the relatives are filled in; a related list (an order's shipments) is empty. Both
/// objects live in `memory`, which a caller on a hot path backs with a monotonic_resource. Any thread. Throws
/// std::invalid_argument if a value is not of its field's type; the message names the field, not the value.
Change make_change(const RecordType& type, const Row* before, const Row* after,
                   const json::storage_ptr& memory = {});

}  // namespace waybill::domain
