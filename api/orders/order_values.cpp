#include "api/orders/order_values.hpp"

#include <ranges>
#include <utility>
#include <variant>

#include "api/records/fields.hpp"
#include "base/exact_number.hpp"
#include "storage/sql/orders.sql.hpp"

namespace waybill::api {

namespace {

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

bool names_customer(const OrderValues& values, const OrderValues& before) {
  return values.customer && values.customer != before.customer;
}

bool names_carrier(const OrderValues& values, const OrderValues& before) {
  return values.carrier && (values.carrier != before.carrier || values.service_level != before.service_level);
}

/// Reads a JSON text that the database made; null for no text.
json::value read_stored(const std::optional<std::string_view>& text) {
  if (!text) return {};
  return std::get<json::value>(parse_exact_json(*text));
}

Products read_products(const json::value& stored) {
  Products products;
  if (stored.is_null()) return products;
  for (const auto& [guid, entry] : stored.get_object()) {
    const auto& product = entry.get_object();
    products.emplace(Guid::parse(guid).value(), ProductTerms{.name = text_at(product, "name").value_or(""),
                                                             .sku = text_at(product, "sku"),
                                                             .price = product.at("price"),
                                                             .dimensions = product.at("dimensions")});
  }
  return products;
}

template <typename Map>
std::vector<Guid> keys_of(const Map& map) {
  const auto keys = std::views::keys(map);
  return {keys.begin(), keys.end()};
}

/// Returns the ones of at most one customer and one carrier that exist. Requests share this read.
asio::awaitable<OrderReferences> find_pair(Services& services, Guid business, OrderReferences named) {
  OrderReferences existing;
  sql::orders::References pair{.business = business};
  if (!named.customers.empty()) pair.customer = *named.customers.begin();
  if (!named.carriers.empty()) pair.carrier = named.carriers.begin()->first;
  const auto rows = co_await services.db.read(pair);
  const auto found = rows.front();
  if (found.customer_exists) existing.customers = named.customers;
  if (found.levels) existing.carriers.emplace(*pair.carrier, to_json(read_stored(found.levels)));
  co_return existing;
}

}  // namespace

Failure number_conflict(const OrderValues& values) {
  return conflict(values.number ? "An order with this number already exists."
                                : "The next order number was taken by another request; try again.");
}

void merge_order(const json::object& body, OrderValues& values, FieldErrors& errors) {
  merge_text(body, "orderNumber", values.number);
  merge_customer(body, values);
  merge_related_guid(body, "carrierId", "carrier.guid", values.carrier);
  merge_text(body, "serviceLevel", values.service_level);
  merge_text(body, "currency", values.currency);
  merge_text(body, "timeWindow.start", values.window_start);
  merge_text(body, "timeWindow.end", values.window_end);
  values.columns.merge(body, errors);
}

void add_references(const OrderValues& values, const OrderValues& before, const ItemList& items,
                    OrderReferences& references) {
  if (names_customer(values, before)) references.customers.insert(*values.customer);
  if (names_carrier(values, before)) references.carriers.try_emplace(*values.carrier);
  for (const auto& product : std::views::values(items.named_products()))
    references.products.try_emplace(product);
}

asio::awaitable<OrderReferences> find_references(Services& services, Guid business, OrderReferences named) {
  OrderReferences existing;
  if (named.empty()) co_return existing;
  if (named.customers.size() <= 1 && named.carriers.size() <= 1 && named.products.empty())
    co_return co_await find_pair(services, business, std::move(named));
  const std::vector<Guid> customers(named.customers.begin(), named.customers.end());
  const auto carriers = keys_of(named.carriers);
  const auto products = keys_of(named.products);
  const auto rows = co_await services.db.read(sql::orders::ReferencesMany{
      .business = business, .customers = customers, .carriers = carriers, .products = products});
  const auto found = rows.front();
  if (const auto stored = read_stored(found.customers); !stored.is_null()) {
    for (const auto& guid : stored.get_array())
      existing.customers.insert(Guid::parse(guid.get_string()).value());
  }
  if (const auto stored = read_stored(found.carriers); !stored.is_null()) {
    for (const auto& [guid, levels] : stored.get_object())
      existing.carriers.emplace(Guid::parse(guid).value(), to_json(levels));
  }
  existing.products = read_products(read_stored(found.products));
  co_return existing;
}

void check_references(const OrderValues& values, const OrderValues& before, const OrderReferences& existing,
                      ItemList& items, FieldErrors& errors) {
  if (names_customer(values, before) && !existing.customers.contains(*values.customer))
    throw not_found("customer");
  if (names_carrier(values, before)) {
    const auto levels = existing.carriers.find(*values.carrier);
    if (levels == existing.carriers.end()) throw not_found("carrier");
    if (values.service_level) check_service_level(*values.service_level, levels->second, errors);
  }
  items.complete(existing.products);
  items.check(errors);
}

}  // namespace waybill::api
