#include "storage/changes/status_change.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/json.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/status_changes.sql.hpp"

namespace waybill::storage {
namespace {

using Kind = ChangeResult::Kind;

const domain::StateMachine& rule_of(const StatusChange& change) {
  return change.rule == nullptr ? *domain::states_of(change.entity_type) : *change.rule;
}

std::optional<std::string_view> cause_of(const StatusChange& change) {
  if (change.cause.empty()) return std::nullopt;
  return change.cause;
}

/// The parameters are views of `change`.
sql::status_changes::Orders orders_statement(const Guid& business, const StatusChange& change) {
  return {.business = business,
          .orders = change.records,
          .status = change.status,
          .allowed_from = rule_of(change).origins(change.status),
          .required_of_shipments = change.when_all_shipments,
          .cause = cause_of(change),
          .waits = change.waits};
}

/// True for a move of one order that order.sql can make if the move is allowed.
bool is_plain_move(const StatusChange& change) {
  return change.entity_type == domain::EntityType::order && change.records.size() == 1 && change.waits &&
         !change.when_all_shipments && change.cause.empty();
}

/// The parameters are views of `change`.
sql::status_changes::Order order_statement(const Guid& business, const StatusChange& change) {
  return {.business = business,
          .order = change.records.front(),
          .status = change.status,
          .allowed_from = rule_of(change).origins(change.status)};
}

/// The entry of the order for status_changes/orders_shared.sql.
std::string order_entry(const StatusChange& change) {
  json::array allowed_from;
  for (const auto& state : rule_of(change).origins(change.status)) allowed_from.emplace_back(state);
  return to_json(json::object{{"order", change.records.front().to_string()},
                              {"status", change.status},
                              {"allowed_from", std::move(allowed_from)}});
}

/// The parameters are views of `change`.
sql::status_changes::Shipments shipments_statement(const Guid& business, const StatusChange& change) {
  return {.business = business,
          .shipments = change.records,
          .status = change.status,
          .allowed_from = rule_of(change).origins(change.status),
          .cause = cause_of(change)};
}

/// The status of the label that keeps a shipment from its move; empty if there is none.
template <typename Row>
std::string locking_label(const Row& row) {
  if constexpr (requires { row.locking_label; }) return std::string(row.locking_label.value_or(""));
  return {};
}

ChangeResult missing_record(const domain::StateMachine& rule) {
  return {.kind = Kind::not_found, .error = "the " + std::string(rule.name) + " no longer exists"};
}

ChangeResult locked_record(const domain::StateMachine& rule) {
  return {.kind = Kind::locked, .error = "another transaction holds the " + std::string(rule.name)};
}

/// The verdict of status_changes/orders_each.sql on an order.
ChangeResult result_of_move(const std::optional<std::string_view>& status, const StatusChange& move) {
  const domain::StateMachine& rule = rule_of(move);
  if (!status) return locked_record(rule);
  if (*status == move.status) return {};
  if (!rule.allows(*status, move.status))
    return {.kind = Kind::forbidden, .error = rule.refusal(*status, move.status)};
  return {.moved = 1};
}

/// The verdict of a statement on the records that it found.
template <typename S>
ChangeResult result_of(const TypedRows<S>& rows, const StatusChange& change) {
  const domain::StateMachine& rule = rule_of(change);
  if (rows.empty()) return missing_record(rule);
  ChangeResult result;
  std::string refusals;
  bool is_locked = false;
  for (const auto& row : rows) {
    if (!row.status) {
      is_locked = true;
    } else if (*row.status == change.status) {
      continue;
    } else if (!rule.allows(*row.status, change.status)) {
      if (!refusals.empty()) refusals += "; ";
      refusals += rule.refusal(*row.status, change.status);
      if (rows.size() > 1) refusals += " (" + row.guid.to_string() + ")";
    } else if (const std::string label = locking_label(row); !label.empty()) {
      result = {.kind = Kind::closed, .error = "the label of the shipment is " + label};
    } else if (!row.is_ready.value()) {
      result = {.kind = Kind::not_ready,
                .error = "not every shipment is " + change.when_all_shipments.value_or("ready")};
    } else {
      ++result.moved;
    }
  }
  if (is_locked) return locked_record(rule);
  if (!refusals.empty()) return {.kind = Kind::forbidden, .error = std::move(refusals)};
  if (result.kind != Kind::made) result.moved = 0;
  return result;
}

}  // namespace

ChangeResult change_status(Session& session, const Guid& business, const StatusChange& change) {
  if (change.entity_type == domain::EntityType::shipment)
    return result_of(session.run(shipments_statement(business, change)), change);
  return result_of(session.run(orders_statement(business, change)), change);
}

std::optional<std::string> common_cause(const StatusChange& move) {
  if (move.entity_type != domain::EntityType::order || move.records.size() != 1 || move.rule != nullptr ||
      move.when_all_shipments || move.waits || move.cause.empty())
    return std::nullopt;
  json::object cause = json::parse(move.cause).as_object();
  if (cause.erase("run") == 0) return std::nullopt;
  return to_json(cause);
}

std::vector<ChangeResult> change_each(Session& session, const Guid& business, const std::string& common_cause,
                                      std::span<const StatusChange* const> moves) {
  std::vector<Guid> orders;
  std::string causes = common_cause;
  for (const StatusChange* const move : moves) {
    orders.push_back(move->records.front());
    causes += '\n' + orders.back().to_string() + ' ';
    causes += json::parse(move->cause).at("run").as_string();
  }
  const StatusChange& first = *moves.front();
  const sql::status_changes::OrdersEach statement{.business = business,
                                                  .orders = orders,
                                                  .status = first.status,
                                                  .allowed_from = rule_of(first).origins(first.status),
                                                  .cause = causes};
  std::unordered_map<Guid, ChangeResult> found;
  for (const auto& row : session.run(statement)) found.emplace(row.guid, result_of_move(row.status, first));
  std::vector<ChangeResult> results;
  for (const Guid& order : orders) {
    const auto result = found.find(order);
    results.push_back(result == found.end() ? missing_record(rule_of(first)) : std::move(result->second));
  }
  return results;
}

asio::awaitable<ChangeResult> change_status(Transaction& transaction, Guid business, StatusChange change) {
  if (change.entity_type == domain::EntityType::shipment)
    co_return result_of(co_await transaction.run(shipments_statement(business, change)), change);
  co_return result_of(co_await transaction.run(orders_statement(business, change)), change);
}

asio::awaitable<ChangeResult> change_status(Database& database, Guid business, StatusChange change,
                                            Cause cause) {
  if (is_plain_move(change)) {
    const auto moved = co_await database.write(
        order_statement(business, change), SharedEntry{change.records.front(), order_entry(change)}, cause);
    if (!moved.empty()) co_return ChangeResult{.moved = 1};
  }
  if (change.entity_type == domain::EntityType::shipment)
    co_return result_of(co_await database.write(shipments_statement(business, change), std::move(cause)),
                        change);
  co_return result_of(co_await database.write(orders_statement(business, change), std::move(cause)), change);
}

}  // namespace waybill::storage
