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
#include "api/records/own_data.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/sql/orders.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::orders;
using Text = std::optional<std::string>;

constexpr auto address_paths = std::to_array<std::string_view>(
    {"deliveryAddress.street", "deliveryAddress.city", "deliveryAddress.state", "deliveryAddress.postalCode",
     "deliveryAddress.country", "deliveryAddress.name", "deliveryAddress.company", "deliveryAddress.phone",
     "deliveryAddress.email"});

constexpr std::string_view number_constraints[] = {"orders_number_unique"};

/// The values of an order's columns. A customer without guid is found by e-mail address, or created.
struct OrderValues {
  Text number;
  std::string status = "pending";
  std::optional<Guid> customer;
  Text customer_name, customer_email, customer_phone;
  std::array<Text, address_paths.size()> address;
  std::optional<Guid> carrier;
  Text service_level, currency, shipping_method;
  Text shipping_cost;  // as a number of SQL
  std::optional<Time> collection_date;
  Text window_start, window_end, notes;
  OwnData own;

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

/// Adds an error if the order then has too many keys of metadata.
void merge(const json::object& body, OrderValues& values, FieldErrors& errors) {
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
  merge_text(body, "shippingMethod", values.shipping_method);
  if (body.contains("shippingCost")) {
    const auto* const cost = find_value(body, "shippingCost");
    values.shipping_cost = cost == nullptr ? Text() : to_json(*cost);
  }
  merge_own_data(body, values.own, errors);
  if (body.contains("collectionDate")) {
    values.collection_date = parse_timestamp(text_at(body, "collectionDate").value_or(""));
  }
}

Products read_products(std::string_view text) {
  Products products;
  const auto parsed = parse_json(text);
  for (const auto& [guid, entry] : std::get<json::value>(parsed).get_object()) {
    const auto& product = entry.get_object();
    products.emplace(Guid::parse(guid).value(), ProductTerms{.name = text_at(product, "name").value_or(""),
                                                             .sku = text_at(product, "sku"),
                                                             .price = product.at("price"),
                                                             .dimensions = product.at("dimensions")});
  }
  return products;
}

/// Checks that the customer, carrier and products that `values` and `items` newly name exist and fit, and
/// completes `items`. `before` has the order's current values.
asio::awaitable<void> check_references(Services& services, const Guid& business, const OrderValues& values,
                                       const OrderValues& before, ItemList& items, FieldErrors& errors) {
  const bool new_customer = values.customer && values.customer != before.customer;
  const bool new_terms = values.carrier != before.carrier || values.service_level != before.service_level;
  const bool new_carrier = values.carrier && new_terms;
  if (new_customer || new_carrier || !items.named_products().empty()) {
    const auto rows = co_await services.db.read(sql::References{.business = business,
                                                                .customer = values.customer,
                                                                .carrier = values.carrier,
                                                                .products = items.named_products()});
    const auto found = rows.front();
    if (new_customer && !found.customer_exists) throw not_found("customer");
    if (new_carrier && !found.levels) throw not_found("carrier");
    if (new_carrier && values.service_level)
      check_service_level(*values.service_level, *found.levels, errors);
    items.complete(found.products ? read_products(*found.products) : Products());
  }
  items.check(errors);
}

OrderValues values_of(const sql::Lock::Row& row) {
  OrderValues values;
  values.number = row.order_number;
  values.status = row.status;
  values.customer = row.customer_id;
  values.address = {Text(row.delivery_street),      Text(row.delivery_city),    Text(row.delivery_state),
                    Text(row.delivery_postal_code), Text(row.delivery_country), Text(row.delivery_name),
                    Text(row.delivery_company),     Text(row.delivery_phone),   Text(row.delivery_email)};
  values.carrier = row.carrier_id;
  values.service_level = row.service_level;
  values.currency = row.currency;
  values.collection_date = row.collection_date;
  values.window_start = row.collection_start;
  values.window_end = row.collection_end;
  values.notes = row.notes;
  values.shipping_method = row.shipping_method;
  values.shipping_cost = row.shipping_cost;
  values.own = {.external_reference = Text(row.external_reference),
                .tags = Text(row.tags),
                .metadata = Text(row.metadata)};
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
  OrderValues values;
  FieldErrors errors;
  merge(body, values, errors);
  values.status = text_at(body, "status").value_or(values.status);
  ItemList items(body.at("items").get_array(), {});
  co_await check_references(services, call.business(), values, {}, items, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto order = Guid::timed_random(to_unix_ms(services.clock.now()));
  const auto& [street, city, state, postal_code, country, name, company, phone, email] = values.address;
  co_await write_numbered(services,
                          sql::Create{.business = call.business(),
                                      .order = order,
                                      .number = values.number,
                                      .status = values.status,
                                      .customer = values.customer,
                                      .customer_name = values.customer_name,
                                      .customer_email = values.customer_email,
                                      .customer_phone = values.customer_phone,
                                      .items = to_json(items.items()),
                                      .street = street,
                                      .city = city,
                                      .state = state,
                                      .postal_code = postal_code,
                                      .country = country,
                                      .carrier = values.carrier,
                                      .service_level = values.service_level,
                                      .currency = values.currency,
                                      .collection_date = values.collection_date,
                                      .window_start = values.window_start,
                                      .window_end = values.window_end,
                                      .notes = values.notes,
                                      .delivery_name = name,
                                      .delivery_company = company,
                                      .delivery_phone = phone,
                                      .delivery_email = email,
                                      .shipping_method = values.shipping_method,
                                      .shipping_cost = values.shipping_cost,
                                      .external_reference = values.own.external_reference,
                                      .tags = values.own.tags,
                                      .metadata = values.own.metadata},
                          call.cause(), !values.number, number_constraints);
  co_return Answer::created(co_await read_order(services, call.business(), order),
                            "/api/v1/Orders/" + order.to_string());
}

asio::awaitable<Answer> update_order(Call& call, Services& services) {
  const auto& body = call.object();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked = co_await transaction->run(sql::Lock{.business = call.business(), .order = call.id()});
  if (locked.empty()) throw not_found("order");
  const auto before = values_of(locked.front());
  if (before.status == "shipped" || before.status == "delivered") {
    throw conflict("The order is " + before.status + " and can no longer be changed.");
  }

  auto values = before;
  FieldErrors errors;
  merge(body, values, errors);
  check_change(body, values, before, errors);
  const auto* const new_items = find_value(body, "items");
  ItemList items(new_items == nullptr ? json::array() : new_items->get_array(),
                 stored_list(locked.front().items));
  co_await check_references(services, call.business(), values, before, items, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto& [street, city, state, postal_code, country, name, company, phone, email] = values.address;
  co_await transaction->run(sql::Update{.business = call.business(),
                                        .order = call.id(),
                                        .number = values.number.value(),
                                        .has_customer = values.has_customer(),
                                        .customer = values.customer,
                                        .customer_name = values.customer_name,
                                        .customer_email = values.customer_email,
                                        .customer_phone = values.customer_phone,
                                        .items = new_items == nullptr ? Text() : to_json(items.items()),
                                        .street = street,
                                        .city = city,
                                        .state = state,
                                        .postal_code = postal_code,
                                        .country = country,
                                        .carrier = values.carrier,
                                        .service_level = values.service_level,
                                        .currency = values.currency.value(),
                                        .collection_date = values.collection_date,
                                        .window_start = values.window_start,
                                        .window_end = values.window_end,
                                        .notes = values.notes,
                                        .delivery_name = name,
                                        .delivery_company = company,
                                        .delivery_phone = phone,
                                        .delivery_email = email,
                                        .shipping_method = values.shipping_method,
                                        .shipping_cost = values.shipping_cost,
                                        .external_reference = values.own.external_reference,
                                        .tags = values.own.tags,
                                        .metadata = values.own.metadata});
  co_await transaction->commit();
  co_return Answer::of(co_await read_order(services, call.business(), call.id()));
}

}  // namespace waybill::api
