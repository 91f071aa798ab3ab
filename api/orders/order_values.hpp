#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/services.hpp"
#include "api/orders/order_body.hpp"
#include "api/records/merged_columns.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// The values of an order. A customer without guid is found by e-mail address, or created.
struct OrderValues {
  std::optional<std::string> number;
  std::string status = "pending";
  std::optional<Guid> customer;
  std::optional<std::string> customer_name, customer_email, customer_phone;
  std::optional<Guid> carrier;
  std::optional<std::string> service_level, currency;
  std::optional<std::string> window_start, window_end;
  ColumnValues columns{domain::EntityType::order};

  bool has_customer() const { return customer || customer_name; }
};

/// The failure of a new order whose number another order has.
Failure number_conflict(const OrderValues& values);

/// Overwrites the values that a checked body names. Adds an error if the order then has too many keys of
/// metadata.
void merge_order(const json::object& body, OrderValues& values, FieldErrors& errors);

/// The records that orders name: at first by guid, then those that exist.
struct OrderReferences {
  std::set<Guid> customers;
  std::map<Guid, std::string> carriers;  // the codes of the service levels, a JSON array
  Products products;

  bool empty() const { return customers.empty() && carriers.empty() && products.empty(); }
};

/// Adds the records that `values` and `items` newly name. `before` has the order's current values.
void add_references(const OrderValues& values, const OrderValues& before, const ItemList& items,
                    OrderReferences& references);

/// Returns the ones of `named` that exist in the business.
asio::awaitable<OrderReferences> find_references(Services& services, Guid business, OrderReferences named);

/// Checks that the records that `values` and `items` newly name are in `existing` and fit, and completes
/// `items`. Adds an error for each bad field. Throws Failure (404) for a record that does not exist.
void check_references(const OrderValues& values, const OrderValues& before, const OrderReferences& existing,
                      ItemList& items, FieldErrors& errors);

}  // namespace waybill::api
