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

/// A move of records to another status, made in the transaction that records the run which asks for it.
struct StatusChange {
  domain::EntityType entity_type{};  // order or shipment
  std::vector<Guid> records;
  std::string status;  // of the entity type's states
  /// Of orders: the status that every shipment must have that was neither cancelled nor returned; there must
  /// be one.
  std::optional<std::string> when_all_shipments;
  std::string cause;  // JSON {by: {type, guid, name}, depth}, kept with the events
  Time started_at;    // of the try
};

struct StatusChangeResult {
  enum class Kind : std::uint8_t {
    made,       // every record that there is has the status now
    forbidden,  // the state machine does not allow it for all of them; none was moved
    unready,    // not all shipments are as they must be; none was moved
    gone,       // there is no such record any more
    locked,     // another transaction holds one; none was moved, and nobody was waited for
    refused,    // the database does not take it (a constraint, a trigger); none was moved
  };
  Kind kind = Kind::made;
  std::string error;  // a sentence; empty when made
};

/// Moves all of the records that there are, or none, within the transaction of `session`. Records that have
/// the status already stay as they are, without an event. What may follow what is the state machine's word.
/// Throws DatabaseUnavailable, or StatementError, after which the transaction is of no more use.
StatusChangeResult change_status(Session& session, const Guid& business, const StatusChange& change);

}  // namespace waybill::storage
