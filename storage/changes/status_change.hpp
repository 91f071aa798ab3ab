#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "domain/records/state_machines.hpp"

namespace waybill::storage {

class Database;
class Session;
class Transaction;
struct Cause;

/// A change of records to another status. The API, the worker and the imports change the status of orders
/// with `change_status` only. The status of a shipment also changes with a scan (sql/scans/move.sql), which
/// is stored as the trace of the change, and with the start of its dispatch (sql/dispatches/start.sql), which
/// leaves out the shipments that must not move. All three follow `domain::shipment_states()`, and the trigger
/// of the table adds the trace, the times and the event.
struct StatusChange {
  domain::EntityType entity_type{};  // order or shipment
  std::vector<Guid> records = {};
  std::string status = {};  // a state of the entity type
  /// The allowed moves; null means those of `domain::states_of(entity_type)`.
  const domain::StateMachine* rule = nullptr;
  /// For orders: the status that all shipments must have, except cancelled and returned ones. At least one
  /// such shipment must exist.
  std::optional<std::string> when_all_shipments = {};
  std::string
      cause;  // JSON {by: {type, guid, name}, depth}, stored with the events; empty: the transaction's
  /// For orders: waits for the locks of other transactions. Otherwise the result is `locked`.
  bool waits = false;
};

/// The result of a status change or of another change of records (storage/changes/record_change.hpp).
struct ChangeResult {
  enum class Kind : std::uint8_t {
    made,       // all existing records are as wanted now
    forbidden,  // the rule forbids the change for a record; none was changed
    not_ready,  // a shipment lacks the required status; none was changed
    closed,     // the record is in a state in which the fields no longer change; nothing was changed
    exists,     // the record to create exists already
    invalid,    // a value is not valid for the record; nothing was changed
    not_found,  // none of the records exists
    locked,     // another transaction holds a record; none was changed, without waiting
    refused,    // the database refuses the change (a constraint, a trigger); none was changed
    skipped,    // there was nothing to do, for the reason `code`
    failed,     // what was asked for is refused, for the reason `code`
    waits,      // the result is known once the purchase `awaited` has moved, or at `until`
  };
  Kind kind = Kind::made;
  std::string error = {};  // empty if made; names the field if invalid
  std::size_t moved = 0;   // number of records whose status was another before
  json::object made = {};  // a new shipment: {shipmentId, trackingNumber}; a label: {labelStatus, price, …}
  const char* code = nullptr;
  std::optional<Guid> awaited = {};
  Time until = {};
};

/// Changes all existing records or none, as the rule allows. Records that already have the status stay
/// unchanged, without an event. All overloads throw DatabaseUnavailable or StatementError; the transaction is
/// then unusable. The first two are part of the caller's transaction.
ChangeResult change_status(Session& session, const Guid& business, const StatusChange& change);
boost::asio::awaitable<ChangeResult> change_status(Transaction& transaction, Guid business,
                                                   StatusChange change);

/// The part of its cause that a move of one order by a run has in common with those by other runs of the
/// workflow. Nullopt for a change that `change_each` cannot make.
std::optional<std::string> common_cause(const StatusChange& move);

/// Makes each of the moves, as `change_status` does one after another, with one statement. They move
/// different orders to the same status, and have this common cause. Returns their results in the same order.
/// Part of the caller's transaction. Throws DatabaseUnavailable or StatementError; the transaction is then
/// unusable.
std::vector<ChangeResult> change_each(Session& session, const Guid& business, const std::string& common_cause,
                                      std::span<const StatusChange* const> moves);

/// Makes the change as a transaction of its own.
boost::asio::awaitable<ChangeResult> change_status(Database& database, Guid business, StatusChange change,
                                                   Cause cause);

}  // namespace waybill::storage
