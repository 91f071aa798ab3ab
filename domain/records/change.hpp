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
  json::object entity;  // the record after the change; the last state of a deleted record
  // The old values of changed fields, nested as in `entity`; {} if created or deleted. An object of metadata
  // has only the changed keys, with null for a key that was absent.
  json::object previous;
  FieldSet changed;                            // by index into RecordType::fields
  std::optional<std::string> previous_status;  // set if the status changed
  bool dispatched = false;                     // true if a shipment was put into a dispatch
  bool traced = false;                         // true if a trace was added; `entity` has it as `trace`
  bool erased = false;  // true if a person's data were erased; `entity` has the guid alone
};

/// Builds a Change from the rows before and after; exactly one of them may be absent. An object of the API
/// whose parts are all null is null, except a shipment's sender and recipient. `customer` and `carrier` have
/// only their guid until the relatives are filled in; a related list (an order's shipments) is empty. Both
/// objects live in `memory`, which a caller on a hot path backs with a monotonic_resource. Any thread. Throws
/// std::invalid_argument if a value is not of its field's type; the message names the field, not the value.
Change make_change(const RecordType& type, const Row* before, const Row* after,
                   const json::storage_ptr& memory = {});

/// The Change of an event that holds no records, because it reports that a person's data were erased.
Change make_erasure(EntityType type, std::string_view guid, const json::storage_ptr& memory = {});

/// Adds the trace of an event to its Change.
void add_trace(Change& change, const json::object& trace);

}  // namespace waybill::domain
