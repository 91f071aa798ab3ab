#include "storage/status_change.hpp"

#include "domain/state_machines.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

using Kind = StatusChangeResult::Kind;

std::string allowed_origins(const domain::StateMachine& states, std::string_view status) {
  ArrayLiteral origins;
  for (const std::string_view state : states.states) {
    if (states.allows(state, status)) origins.add(state);
  }
  return origins.take();
}

Rows move(Session& session, const Guid& business, const StatusChange& change,
          const domain::StateMachine& states) {
  Params params;
  params.add(business.to_string())
      .add(array_literal(change.records))
      .add(change.status)
      .add(allowed_origins(states, change.status));
  if (change.entity_type == domain::EntityType::shipment) {
    return session.run(sql::status_changes::shipments, params.add(change.cause));
  }
  return session.run(sql::status_changes::orders, params.add(change.when_all_shipments).add(change.cause));
}

}  // namespace

StatusChangeResult change_status(Session& session, const Guid& business, const StatusChange& change) {
  const domain::StateMachine& states =
      change.entity_type == domain::EntityType::shipment ? domain::shipment_states() : domain::order_states();
  const Rows rows = move(session, business, change, states);
  if (rows.empty()) return {Kind::not_found, "the " + std::string(states.name) + " no longer exists"};
  StatusChangeResult result;
  std::string refusals;
  bool is_locked = false;
  for_each_row(rows, [&](const RowView& row) {
    if (row.is_null(1)) {
      is_locked = true;
    } else if (row.view(1) == change.status) {
      return;
    } else if (!states.allows(row.view(1), change.status)) {
      if (!refusals.empty()) refusals += "; ";
      refusals += states.refusal(row.view(1), change.status);
      if (rows.size() > 1) refusals += " (" + row.string(0) + ")";
    } else if (!row.boolean(2)) {
      result = {Kind::not_ready, "not every shipment is " + change.when_all_shipments.value_or("ready")};
    }
  });
  if (is_locked) return {Kind::locked, "another transaction holds the " + std::string(states.name)};
  if (!refusals.empty()) return {Kind::forbidden, std::move(refusals)};
  return result;
}

}  // namespace waybill::storage
