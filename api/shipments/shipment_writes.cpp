#include <algorithm>
#include <utility>

#include "api/records/fields.hpp"
#include "api/route/params.hpp"
#include "api/shipments/shipment_body.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/observe.hpp"
#include "domain/tracking_number.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;
using Text = std::optional<std::string>;

constexpr std::string_view shipments_path = "/api/v1/shipments/";
constexpr int number_attempts = 3;

std::string random_tracking_number() {
  std::array<std::uint8_t, 8> bytes{};
  fill_random(bytes);
  std::uint64_t number = 0;
  for (const auto byte : bytes) number = number << 8U | byte;
  return domain::tracking_number(static_cast<std::uint32_t>(number % domain::tracking_number_count));
}

bool is_number_taken(const storage::StatementError& error) {
  return error.constraint() == "shipments_tracking_unique";
}

/// Returns the parameters of create.sql.
storage::Params create_params(const std::string& business, const std::string& guid,
                              const std::string& tracking_number, const Text& order,
                              const ShipmentValues& values) {
  storage::Params params;
  params.add(business).add(guid).add(tracking_number).add(order);
  values.add_to(params);
  return params;
}

/// Checks that the customer and carrier that `values` newly names exist and fit. `before` has the shipment's
/// current values.
asio::awaitable<void> check_references(Services& services, const std::string& business,
                                       const ShipmentValues& values, const ShipmentValues& before,
                                       FieldErrors& errors) {
  const bool new_customer = values.customer && values.customer != before.customer;
  const bool new_terms = values.carrier != before.carrier || values.service_level != before.service_level;
  const bool new_carrier = values.carrier && new_terms;
  if (!new_customer && !new_carrier) co_return;
  storage::Params params;
  params.add(business).add(values.customer).add(values.carrier).add_array(storage::ArrayLiteral());
  const auto rows = co_await services.db.read(storage::sql::orders::references, std::move(params));
  if (new_customer && rows.get(0, 0) != "t") throw not_found("customer");
  if (new_carrier && rows.is_null(0, 1)) throw not_found("carrier");
  if (new_carrier && values.service_level) check_service_level(*values.service_level, rows.get(0, 1), errors);
}

/// Returns the items of a stored order that the body names, or all. Throws Failure (404) for a guid that no
/// item has.
json::array picked_items(const json::array& items, const json::object& body) {
  const auto* const requested = find_value(body, "itemIds");
  if (requested == nullptr) return items;
  json::array picked;
  for (const auto& entry : requested->get_array()) {
    const auto guid = Guid::parse(entry.get_string()).value().to_string();
    const auto has_guid = [&](const json::value& item) {
      return item.is_object() && guid_at(item.get_object(), "guid") == guid;
    };
    const auto found = std::ranges::find_if(items, has_guid);
    if (found == items.end()) throw not_found("item");
    if (std::ranges::none_of(picked, has_guid)) picked.push_back(*found);
  }
  return picked;
}

/// Returns one package per item, with the item's dimensions.
std::string packages_of(const json::array& items) {
  json::array packages;
  for (const auto& entry : items) {
    const auto* const item = entry.if_object();
    const auto* const dimensions = item == nullptr ? nullptr : find_value(*item, "dimensions");
    packages.push_back(dimensions == nullptr ? json::value() : *dimensions);
  }
  if (packages.empty()) packages.emplace_back(nullptr);
  return packages_text(packages);
}

/// Returns the values of a shipment from the row of its order (hold_order.sql).
ShipmentValues values_of_order(const storage::Rows& row, const json::object& body) {
  enum Column { status, items, customer, carrier, service_level, collection_date, sender, recipient = 13 };
  const auto text = [&](int column) {
    const auto found = row.find(0, column);
    return found ? Text(*found) : std::nullopt;
  };
  ShipmentValues values;
  values.customer = text(customer);
  values.carrier = text(carrier);
  values.service_level = text(service_level);
  values.collection_date = text(collection_date);
  for (int i = 0; i < static_cast<int>(values.sender.size()); ++i) {
    values.sender.at(static_cast<std::size_t>(i)) = text(sender + i);
    values.recipient.at(static_cast<std::size_t>(i)) = text(recipient + i);
  }
  values.packages = packages_of(picked_items(stored_list(row.get(0, items)), body));
  return values;
}

/// Throws Failure if the order lacks an address that a shipment needs.
void check_deliverable(const ShipmentValues& values) {
  FieldErrors errors;
  constexpr std::string_view names[] = {"deliveryAddress.street", "deliveryAddress.city"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const auto& value = values.recipient.at(i + 1);
    if (!value || is_blank(*value)) errors.push_back({std::string(names[i]), "is missing in the order"});
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

/// Creates the shipment in one transaction under the order's lock, so that only one of several simultaneous
/// callers succeeds.
asio::awaitable<void> insert_for_order(Call& call, Services& services, const std::string& guid,
                                       const std::string& tracking_number) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto order = co_await transaction->run(sql::lock_order, key_params(call));
  if (order.empty()) throw not_found("order");
  if (order.get(0, 0) == "cancelled") throw invalid("status", "a cancelled order cannot be shipped");
  const auto live = co_await transaction->run(sql::has_open_shipment, key_params(call));
  if (live.get(0, 0) == "t") throw conflict("The order already has a shipment.");
  const auto values = values_of_order(order, call.object());
  check_deliverable(values);
  co_await transaction->run(sql::create, create_params(call.principal.business_id.to_string(), guid,
                                                       tracking_number, call.id().to_string(), values));
  co_await transaction->commit();
}

/// Stores the shipment's label. A failure is only logged: the shipment is committed, and a GET renders a
/// missing label.
asio::awaitable<void> try_label(Call& call, Services& services, const std::string& guid) {
  try {
    co_await make_label(services, call.principal.business_id.to_string(), guid);
  } catch (const std::exception& error) {
    observe(Observable::statement_failed, {{"statement", "label"}, {"error", error.what()}});
  }
}

}  // namespace

asio::awaitable<Answer> create_shipment(Call& call, Services& services) {
  const auto business = call.principal.business_id.to_string();
  ShipmentValues values;
  values.merge(call.object());
  FieldErrors errors;
  co_await check_references(services, business, values, {}, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now())).to_string();
  for (int attempt = 1;; ++attempt) {
    try {
      co_await services.db.write(
          sql::create, create_params(business, guid, random_tracking_number(), std::nullopt, values),
          call.cause());
      break;
    } catch (const storage::StatementError& error) {
      if (!is_number_taken(error) || attempt == number_attempts) throw;
    }
  }
  co_return Answer::created({}, std::string(shipments_path) + guid);
}

asio::awaitable<Answer> update_shipment(Call& call, Services& services) {
  const auto& body = call.object();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked = co_await transaction->run(sql::lock, key_params(call));
  if (locked.empty()) throw not_found("shipment");
  const auto before = ShipmentValues::of(locked);
  auto values = before;
  values.merge(body);
  FieldErrors errors;
  if (const auto status = text_at(body, "status"); status && status != locked.get(0, 0)) {
    errors.push_back({"status", "is " + std::string(locked.get(0, 0)) + "; use POST …/traces to change it"});
  }
  check_not_cleared(body, values, before, errors);
  co_await check_references(services, call.principal.business_id.to_string(), values, before, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  auto params = key_params(call);
  values.add_to(params);
  co_await transaction->run(sql::update, std::move(params));
  co_await transaction->commit();
  co_return Answer::of(R"({"guid":")" + call.id().to_string() + R"("})");
}

asio::awaitable<Answer> schedule_shipment(Call& call, Services& services) {
  const auto& body = call.object();
  auto params = business_params(call);
  const auto guid = guid_at(body, "shipmentId").value();
  params.add(guid);
  for (const auto* const name : {"collectionDate", "deliveryDate"}) {
    const auto date = text_at(body, name);
    params.add(body.contains(name));
    params.add(date ? Text(format_sql_timestamp(parse_timestamp(*date).value())) : std::nullopt);
  }
  const auto rows = co_await services.db.write(sql::schedule, std::move(params), call.cause());
  if (rows.empty()) throw not_found("shipment");
  co_return Answer::of(R"({"guid":")" + guid + R"("})");
}

asio::awaitable<Answer> ship_order(Call& call, Services& services) {
  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now())).to_string();
  std::string tracking_number;
  for (int attempt = 1;; ++attempt) {
    try {
      tracking_number = random_tracking_number();
      co_await insert_for_order(call, services, guid, tracking_number);
      break;
    } catch (const storage::StatementError& error) {
      if (!is_number_taken(error) || attempt == number_attempts) throw;
    }
  }
  const auto* const wants_label = find_value(call.object(), "generateLabel");
  if (wants_label != nullptr && wants_label->get_bool()) co_await try_label(call, services, guid);
  co_return Answer::created(R"({"guid":")" + guid + R"(","trackingNumber":")" + tracking_number +
                                R"(","orderId":")" + call.id().to_string() + R"(","status":"created"})",
                            std::string(shipments_path) + guid);
}

}  // namespace waybill::api
