#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/session.hpp"

namespace waybill::storage {

/// A change of records to another status, made in the transaction that records the requesting run.
struct StatusChange {
  domain::EntityType entity_type{};  // order or shipment
  std::vector<Guid> records;
  std::string status;  // a state of the entity type
  /// For orders: the status that all shipments must have, except cancelled and returned ones. At least one
  /// such shipment must exist.
  std::optional<std::string> when_all_shipments;
  std::string cause;  // JSON {by: {type, guid, name}, depth}, stored with the events
  Time started_at;    // start of the attempt
};

struct StatusChangeResult {
  enum class Kind : std::uint8_t {
    made,       // all existing records have the status now
    forbidden,  // the state machine forbids the change for a record; none was changed
    not_ready,  // a shipment lacks the required status; none was changed
    not_found,  // none of the records exists
    locked,     // another transaction holds a record; none was changed, without waiting
    refused,    // the database refuses the change (a constraint, a trigger); none was changed
  };
  Kind kind = Kind::made;
  std::string error;  // empty if made
};

/// Changes all existing records or none, in the transaction of `session`, as the state machine allows.
/// Records that already have the status stay unchanged, without an event. Throws DatabaseUnavailable or
/// StatementError; the transaction is then unusable.
StatusChangeResult change_status(Session& session, const Guid& business, const StatusChange& change);

}  // namespace waybill::storage
