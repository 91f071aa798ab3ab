#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "tests/simulators/shopify/graphql.hpp"

namespace waybill::tests {

/// Records with an id and an update time, in the format of the API, in the order of their changes.
class ShopifyTable {
 public:
  /// Meaning of a cursor: the position of the last row (a key), as in Shopify, or the number of rows before.
  enum class Cursors { key, position };

  void put(std::int64_t id, json::object record, Time changed_at);
  void erase(std::int64_t id);
  json::object* find(std::int64_t id);
  std::size_t size() const { return rows_.size(); }

  /// A page of `first` records by update time, from a given time. Throws GraphqlError for an invalid cursor.
  GraphqlPage page(std::size_t first, std::optional<Time> since, const json::value* after,
                   Cursors cursors) const;

 private:
  using Key = std::pair<Time, std::int64_t>;
  struct Row {
    json::object record;
    Time changed_at;
  };
  std::map<std::int64_t, Row> rows_;
  std::set<Key> by_change_;
};

/// The shop behind the simulator: its records and the effects of mutations. Not thread-safe.
class ShopifyShop {
 public:
  ShopifyTable orders;
  ShopifyTable products;
  std::size_t notifications = 0;  // mails to customers

  /// The time of the next change; each is a second later unless time stands still. Starts at
  /// 2026-07-01T10:00:00Z.
  Time tick();
  void freeze_time(bool is_frozen) { is_frozen_ = is_frozen; }

  /// Adds a paid order of one item to an address in Berlin with one open fulfillment order; `fields` replace
  /// its fields. The `name` counts up from #1001.
  std::int64_t add_order(const json::object& fields);
  /// Replaces fields and updates the time of change.
  void change_order(std::int64_t id, const json::object& fields);
  std::int64_t add_product(const json::object& fields);
  void change_product(std::int64_t id, const json::object& fields);

  /// Null if there is none.
  json::value find_fulfillment_order(std::string_view gid);

  /// Return the payloads of the mutations.
  json::object fulfillment_create(const json::object& arguments);
  json::object tracking_update(const json::object& arguments);

  static json::object line_item(std::string_view title, std::int64_t quantity,
                                std::string_view price = "10.00");
  static json::object variant(std::string_view title, std::string_view sku, std::string_view price,
                              double weight = 0, std::string_view unit = "KILOGRAMS");
  static json::object fulfillment_order(std::int64_t id, std::int64_t location,
                                        std::string_view status = "OPEN");
  /// A line of a fulfillment order, for its member `lineItems`; `line_item` is the gid of the order's line.
  static json::object fulfillment_line(std::int64_t id, std::string_view line_item, std::int64_t quantity);
  static json::object money(std::string_view amount, std::string_view currency);

 private:
  void touch(ShopifyTable& table, std::int64_t id, const json::object& fields);

  std::int64_t next_id_ = 5'000'000'000;  // beyond 32 bits, like Shopify's
  std::int64_t next_number_ = 1001;
  Time now_ = *parse_timestamp("2026-07-01T09:59:59Z");
  bool is_frozen_ = false;
};

std::string shopify_time(Time time);
std::string test_gid(std::string_view kind, std::int64_t id);
/// The number at the end of a gid; 0 if there is none.
std::int64_t gid_number(std::string_view gid);

}  // namespace waybill::tests
