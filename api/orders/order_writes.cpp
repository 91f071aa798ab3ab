#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/orders/order_body.hpp"
#include "api/orders/order_handlers.hpp"
#include "api/orders/order_text.hpp"
#include "api/orders/order_values.hpp"
#include "api/records/fields.hpp"
#include "api/records/own_data.hpp"
#include "api/records/row_json.hpp"
#include "api/records/unchangeable_order.hpp"
#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/sql/orders.sql.hpp"

namespace waybill::api {
namespace {

/// Returns the values of an order; `rows` are those of sql::orders::Values or sql::orders::Lock.
template <typename Rows>
OrderValues values_of(const Rows& rows) {
  const auto row = rows.front();
  OrderValues values;
  values.number = row.order_number;
  values.status = row.status;
  values.customer = row.customer_id;
  values.carrier = row.carrier_id;
  values.service_level = row.service_level;
  values.currency = row.currency;
  values.window_start = row.collection_start;
  values.window_end = row.collection_end;
  values.columns = ColumnValues(domain::EntityType::order, rows.more());
  return values;
}

/// Checks the rules of a change that depend on the order's current values.
void check_change(const json::object& body, const OrderValues& values, const OrderValues& before,
                  FieldErrors& errors) {
  if (const auto status = text_at(body, "status"); status && status != before.status) {
    errors.push_back({"status", "is " + before.status + "; use PATCH …/status to change it"});
  }
  if (before.customer && !values.has_customer()) {
    errors.push_back({body.contains("customerId") ? "customerId" : "customer", "must not be null"});
  }
  if (values.window_start == before.window_start && values.window_end == before.window_end) {
    // It stays as it is, also one that SQL wrote in part.
  } else if (values.window_start.has_value() != values.window_end.has_value()) {
    errors.push_back({values.window_start ? "timeWindow.end" : "timeWindow.start", "is required"});
  } else if (values.window_start && *values.window_start >= *values.window_end) {
    errors.push_back({"timeWindow.end", "must be after timeWindow.start"});
  }
  if (values.currency != before.currency) check_currency(body, errors);
  for (const std::string_view path : {"deliveryAddress.street", "deliveryAddress.city"}) {
    const auto lacks = [&](const OrderValues& order) {
      return is_blank(order.columns.at(path).value_or(""));
    };
    const bool is_cleared = lacks(values) && !lacks(before);
    if (is_cleared && before.status != "draft") errors.push_back({std::string(path), "must not be null"});
  }
}

/// Checks the change of the order in `rows`, and returns its entry for orders/update.sql.
template <typename Rows>
asio::awaitable<std::string> change_of(Call& call, Services& services, Rows rows) {
  const auto& body = call.object();
  const auto row = rows.front();
  const auto before = values_of(rows);
  if (before.status == "shipped" || before.status == "delivered") {
    throw unchangeable_order(before.status);
  }
  auto values = before;
  FieldErrors errors;
  merge_order(body, values, errors);
  check_change(body, values, before, errors);
  const auto* const new_items = find_value(body, "items");
  const json::array stored_items = stored_list(row.items);
  if (new_items != nullptr && new_items->get_array().empty() && !stored_items.empty())
    errors.push_back({"items", "must have at least 1 entry"});
  ItemList items(new_items == nullptr ? json::array() : new_items->get_array(), stored_items);
  const bool has_other_items = new_items != nullptr && !items.are_same_as(stored_items);
  if (!has_other_items) items = ItemList({}, {});
  OrderReferences named;
  add_references(values, before, items, named);
  check_references(values, before, co_await find_references(services, call.business(), std::move(named)),
                   items, errors);
  if (!errors.empty()) throw invalid(std::move(errors));
  co_return order_change_text(call.id(), row.version, values, has_other_items ? &items : nullptr);
}

/// Changes an order that others change at the same time, and returns it.
asio::awaitable<storage::Rows> update_locked(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked =
      co_await transaction->run(sql::orders::Lock{.business = call.business(), .order = call.id()});
  if (locked.empty()) throw not_found("order");
  const auto changes = '[' + co_await change_of(call, services, locked) + ']';
  auto changed =
      co_await transaction->run(sql::orders::Update{.business = call.business(), .orders = changes});
  co_await transaction->commit();
  co_return changed;
}

}  // namespace

asio::awaitable<Answer> create_order(Call& call, Services& services) {
  const auto& body = call.object();
  OrderValues values;
  FieldErrors errors;
  merge_order(body, values, errors);
  values.status = text_at(body, "status").value_or(values.status);
  ItemList items(body.at("items").get_array(), {});
  OrderReferences named;
  add_references(values, {}, items, named);
  check_references(values, {}, co_await find_references(services, call.business(), std::move(named)), items,
                   errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto order = Guid::timed_random(to_unix_ms(services.clock.now()));
  const auto text = order_text(order, values, items);
  // Another request may commit the chosen number first; the next number is then chosen.
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto added = co_await services.db.write<sql::orders::CreateMany>(
        storage::SharedEntry{order, text, !values.number}, call.cause());
    if (!added.empty()) {
      co_return Answer::created(co_await read_order(services, call.business(), order),
                                "/api/v1/Orders/" + order.to_string());
    }
    if (values.number) break;
  }
  throw number_conflict(values);
}

asio::awaitable<Answer> update_order(Call& call, Services& services) {
  const auto business = call.business();
  if (const auto plain = plain_change_text(call.id(), call.object())) {
    const auto changed = co_await services.db.write<sql::orders::UpdatePlain>(
        storage::SharedEntry{call.id(), *plain}, call.cause());
    if (!changed.empty()) co_return Answer::of(json_object(changed));
  }
  const auto values =
      co_await services.db.read(sql::orders::Values{.business = business, .order = call.id()});
  if (values.empty()) throw not_found("order");
  const auto change = co_await change_of(call, services, values);
  auto changed =
      co_await services.db.write<sql::orders::Update>(storage::SharedEntry{call.id(), change}, call.cause());
  if (changed.empty()) changed = co_await update_locked(call, services);
  // The statement cannot return the name of a customer that it added.
  const bool may_lack_customer = call.object().contains("customer");
  co_return Answer::of(may_lack_customer ? co_await read_order(services, business, call.id())
                                         : json_object(changed));
}

}  // namespace waybill::api
