#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/schema.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::api {

extern const Schema order_schema;        // the answer of a GET
extern const Schema order_entry_schema;  // an entry of a list
extern const Schema order_create_schema;
extern const Schema order_update_schema;
extern const Schema order_bulk_schema;         // many orders to create
extern const Schema order_bulk_result_schema;  // an entry of the answer
extern const Schema time_window_schema;

/// Adds an error for a currency that is not of ISO 4217. A change may keep one that the order has already,
/// from SQL or an earlier version.
void check_currency(const json::object& body, FieldErrors& errors);
void check_order_create(const json::object& body, FieldErrors& errors);
void check_order_update(const json::object& body, FieldErrors& errors);
/// Adds an error unless `orders` is an array of 1 to 1 000 entries. The handler checks the entries, each of
/// which has a result of its own.
void check_order_bulk(const json::object& body, FieldErrors& errors);
/// Adds an error if `timeWindow` does not end after it starts.
void check_time_window(const json::object& body, FieldErrors& errors);

/// The values that an item of an order takes from its product.
struct ProductTerms {
  std::string name;
  std::optional<std::string> sku;
  json::value price;       // null if the product has none
  json::value dimensions;  // null if the product has none
};

using Products = std::map<Guid, ProductTerms>;

/// The items of an order in their stored form, made from those of a request. An item with the guid of an item
/// in `stored` changes that item, and keeps the members that the request leaves out.
class ItemList {
 public:
  /// `items` have passed the schema. Throws Failure (404) for a guid that no stored item has.
  ItemList(const json::array& items, const json::array& stored);

  /// The newly named products by the places of the items that name them. They must exist.
  const std::map<std::size_t, Guid>& named_products() const { return named_products_; }

  /// Fills in what the items that newly name a product leave out; the others stay as they are. Throws Failure
  /// (404) for a product that does not exist.
  void complete(const Products& products);

  /// Adds an error for each required member that an item still lacks, for each new amount with more than two
  /// decimals, and for a total beyond the limit. Amounts that SQL wrote so may stay.
  void check(FieldErrors& errors) const;

  /// True if they mean the same as the stored ones, one after the other. Items that SQL wrote before items
  /// got guids have none.
  bool are_same_as(const json::array& stored) const;

  const json::array& items() const { return items_; }

 private:
  json::array items_;
  std::map<std::size_t, Guid> named_products_;
  FieldErrors bad_amounts_;
};

}  // namespace waybill::api
