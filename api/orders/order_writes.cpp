#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/orders/order_body.hpp"
#include "api/orders/order_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/records/numbering.hpp"
#include "api/route/params.hpp"
#include "base/guid.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::orders;
using Text = std::optional<std::string>;

constexpr auto address_paths = std::to_array<std::string_view>(
    {"deliveryAddress.street", "deliveryAddress.city", "deliveryAddress.state", "deliveryAddress.postalCode",
     "deliveryAddress.country"});

constexpr std::string_view number_constraints[] = {"orders_number_unique"};

/// The values of an order's columns. A customer without guid is found by e-mail address, or created.
struct OrderValues {
  Text number;
  std::string status = "pending";
  Text customer, customer_name, customer_email, customer_phone;
  std::array<Text, address_paths.size()> address;
  Text carrier, service_level, currency, collection_date, window_start, window_end, notes;

  bool has_customer() const { return customer || customer_name; }
};

void merge_customer(const json::object& body, OrderValues& values) {
  merge_related_guid(body, "customerId", "customer.guid", values.customer);
  const bool is_named =
      find_value(body, "customer") != nullptr && find_value(body, "customer.guid") == nullptr;
  if (!is_named) return;
  values.customer.reset();
  values.customer_name = text_at(body, "customer.name");
  values.customer_email = text_at(body, "customer.email");
  values.customer_phone = text_at(body, "customer.phone");
}

void merge(const json::object& body, OrderValues& values) {
  merge_text(body, "orderNumber", values.number);
  merge_customer(body, values);
  for (std::size_t i = 0; i < address_paths.size(); ++i)
    merge_text(body, address_paths.at(i), values.address.at(i));
  merge_related_guid(body, "carrierId", "carrier.guid", values.carrier);
  merge_text(body, "serviceLevel", values.service_level);
  merge_text(body, "currency", values.currency);
  merge_text(body, "timeWindow.start", values.window_start);
  merge_text(body, "timeWindow.end", values.window_end);
  merge_text(body, "notes", values.notes);
  merge_text(body, "collectionDate", values.collection_date);
  if (const auto date = text_at(body, "collectionDate")) {
    values.collection_date = format_sql_timestamp(parse_timestamp(*date).value());
  }
}

/// Returns the parameters of create.sql and update.sql, which differ only in the fourth.
template <typename Fourth>
storage::Params params_of(const std::string& business, const std::string& guid, const OrderValues& values,
                          const Fourth& fourth, const Text& items) {
  storage::Params params;
  params.add(business).add(guid).add(values.number).add(fourth);
  params.add(values.customer).add(values.customer_name).add(values.customer_email).add(values.customer_phone);
  params.add(items);
  for (const auto& part : values.address) params.add(part);
  params.add(values.carrier).add(values.service_level).add(values.currency).add(values.collection_date);
  params.add(values.window_start).add(values.window_end).add(values.notes);
  return params;
}

Products read_products(std::string_view text) {
  Products products;
  const auto parsed = parse_json(text);
  for (const auto& [guid, entry] : std::get<json::value>(parsed).get_object()) {
    const auto& product = entry.get_object();
    products.emplace(std::string(guid), ProductTerms{text_at(product, "name").value_or(""),
                                                     text_at(product, "sku"), product.at("price")});
  }
  return products;
}

/// Checks that the customer, carrier and products that `values` and `items` newly name exist and fit, and
/// completes `items`. `before` has the order's current values.
asio::awaitable<void> check_references(Services& services, const std::string& business,
                                       const OrderValues& values, const OrderValues& before, ItemList& items,
                                       FieldErrors& errors) {
  const bool new_customer = values.customer && values.customer != before.customer;
  const bool new_terms = values.carrier != before.carrier || values.service_level != before.service_level;
  const bool new_carrier = values.carrier && new_terms;
  if (new_customer || new_carrier || !items.named_products().empty()) {
    storage::Params params;
    params.add(business).add(values.customer).add(values.carrier).add_array(items.named_products());
    const auto rows = co_await services.db.read(sql::references, std::move(params));
    if (new_customer && rows.get(0, 0) != "t") throw not_found("customer");
    if (new_carrier && rows.is_null(0, 1)) throw not_found("carrier");
    if (new_carrier && values.service_level)
      check_service_level(*values.service_level, rows.get(0, 1), errors);
    items.complete(rows.is_null(0, 2) ? Products() : read_products(rows.get(0, 2)));
  }
  items.check(errors);
}

OrderValues values_of(const storage::Rows& row) {
  const auto text = [&](int column) {
    const auto found = row.find(0, column);
    return found ? Text(*found) : std::nullopt;
  };
  OrderValues values;
  values.status = row.get(0, 0);
  values.customer = text(1);
  for (std::size_t i = 0; i < values.address.size(); ++i)
    values.address.at(i) = text(3 + static_cast<int>(i));
  values.carrier = text(8);
  values.service_level = text(9);
  values.collection_date = text(10);
  values.window_start = text(11);
  values.window_end = text(12);
  values.number = text(13);
  values.currency = text(14);
  values.notes = text(15);
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
  if (values.window_start.has_value() != values.window_end.has_value()) {
    errors.push_back({values.window_start ? "timeWindow.end" : "timeWindow.start", "is required"});
  } else if (values.window_start && *values.window_start >= *values.window_end) {
    errors.push_back({"timeWindow.end", "must be after timeWindow.start"});
  }
  constexpr std::size_t required_parts = 2;  // street and city
  for (std::size_t i = 0; i < required_parts && before.status != "draft"; ++i) {
    const bool is_blank_now = !values.address.at(i) || is_blank(*values.address.at(i));
    if (before.address.at(i) && is_blank_now)
      errors.push_back({std::string(address_paths.at(i)), "must not be null"});
  }
}

}  // namespace

asio::awaitable<Answer> create_order(Call& call, Services& services) {
  const auto& body = call.object();
  const auto business = call.principal.business_id.to_string();
  OrderValues values;
  merge(body, values);
  values.status = text_at(body, "status").value_or(values.status);
  ItemList items(body.at("items").get_array(), {});
  FieldErrors errors;
  co_await check_references(services, business, values, {}, items, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now())).to_string();
  co_await write_numbered(services, sql::create,
                          params_of(business, guid, values, values.status, to_json(items.items())),
                          call.cause(), !values.number, number_constraints);
  storage::Params key;
  key.add(business).add(guid);
  co_return Answer::created(co_await read_order(services, std::move(key)), "/api/v1/Orders/" + guid);
}

asio::awaitable<Answer> update_order(Call& call, Services& services) {
  const auto& body = call.object();
  const auto business = call.principal.business_id.to_string();
  const auto guid = call.id().to_string();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked = co_await transaction->run(sql::lock, key_params(call));
  if (locked.empty()) throw not_found("order");
  const auto before = values_of(locked);
  if (before.status == "shipped" || before.status == "delivered") {
    throw conflict("The order is " + before.status + " and can no longer be changed.");
  }

  auto values = before;
  merge(body, values);
  FieldErrors errors;
  check_change(body, values, before, errors);
  const auto* const new_items = find_value(body, "items");
  ItemList items(new_items == nullptr ? json::array() : new_items->get_array(),
                 stored_list(locked.get(0, 2)));
  co_await check_references(services, business, values, before, items, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto items_text = new_items == nullptr ? Text() : to_json(items.items());
  co_await transaction->run(sql::update,
                            params_of(business, guid, values, values.has_customer(), items_text));
  co_await transaction->commit();
  co_return Answer::of(co_await read_order(services, key_params(call)));
}

}  // namespace waybill::api
