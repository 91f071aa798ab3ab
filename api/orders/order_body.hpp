#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/route/schema.hpp"
#include "base/json.hpp"

namespace waybill::api {

extern const Schema order_schema;        // as GET answers
extern const Schema order_entry_schema;  // as lists have it
extern const Schema order_create_schema;
extern const Schema order_update_schema;
extern const Schema time_window_schema;

void check_order_create(const json::object& body, FieldErrors& errors);
void check_order_update(const json::object& body, FieldErrors& errors);
/// `timeWindow`: both ends, the end behind the start.
void check_time_window(const json::object& body, FieldErrors& errors);

/// What an order takes from a product it names.
struct ProductTerms {
  std::string name;
  std::optional<std::string> sku;
  json::value price;  // null: none
};

/// By guid in lower case.
using Products = std::map<std::string, ProductTerms, std::less<>>;

/// The items of an order as they are stored, from those of a request. An item that has the guid of one of
/// `stored` is that item: what it leaves out stays as it is.
class ItemList {
 public:
  /// `items` were checked by the schemas. Throws Failure (404) for a guid that no stored item has.
  ItemList(const json::array& items, const json::array& stored);

  /// Products that are named anew and must exist.
  const std::vector<std::string>& named_products() const { return named_products_; }

  /// Lends what the items leave out. Throws Failure (404) for a product that is not there.
  void complete(const Products& products);

  /// Adds an error for each item that still lacks something, and for a total no order can have.
  void check(FieldErrors& errors) const;

  const json::array& items() const { return items_; }

 private:
  json::array items_;
  std::vector<std::string> named_products_;
};

}  // namespace waybill::api
