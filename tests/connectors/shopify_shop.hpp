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
#include "tests/connectors/graphql.hpp"

namespace waybill::tests {

/// Records with an id and a time of change, as the API gives them, in the order of their changes.
class ShopifyTable {
 public:
  /// Cursors that say where the last row stood (a key), as Shopify's do, or how many rows came before it.
  enum class Cursors { key, position };

  void put(std::int64_t id, json::object record, Time changed_at);
  void erase(std::int64_t id);
  json::object* find(std::int64_t id);
  std::size_t size() const { return rows_.size(); }

  /// A page of `first`, by update time, from a moment on. Throws GraphqlError for a cursor that is none.
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

/// The shop behind the simulator: its records and what mutations do to them. Not thread-safe.
class ShopifyShop {
 public:
  ShopifyTable orders;
  ShopifyTable products;
  std::size_t notifications = 0;  // mails to buyers

  /// The time of the next change; a second later each time, unless it stands still. 2026-07-01T10:00:00Z.
  Time tick();
  void stand_still(bool still) { still_ = still; }

  /// A paid order of one item to an address in Berlin, with one open fulfillment order, but for the `fields`
  /// given. `name` goes on from #1001.
  std::int64_t add_order(const json::object& fields);
  /// Replaces fields, and touches it.
  void change_order(std::int64_t id, const json::object& fields);
  std::int64_t add_product(const json::object& fields);
  void change_product(std::int64_t id, const json::object& fields);

  /// Payloads.
  json::object fulfillment_create(const json::object& arguments);
  json::object tracking_update(const json::object& arguments);

  static json::object line_item(std::string_view title, std::int64_t quantity,
                                std::string_view price = "10.00");
  static json::object variant(std::string_view title, std::string_view sku, std::string_view price,
                              double weight = 0, std::string_view unit = "KILOGRAMS");
  static json::object fulfillment_order(std::int64_t id, std::int64_t location,
                                        std::string_view status = "OPEN");
  static json::object money(std::string_view amount, std::string_view currency);

 private:
  void touch(ShopifyTable& table, std::int64_t id, const json::object& fields);

  std::int64_t next_id_ = 5'000'000'000;  // beyond 32 bits, as theirs
  std::int64_t next_number_ = 1001;
  Time now_ = *parse_timestamp("2026-07-01T09:59:59Z");
  bool still_ = false;
};

std::string shopify_time(Time time);
std::string test_gid(std::string_view kind, std::int64_t id);
/// The number at a gid's end; 0 when there is none.
std::int64_t gid_number(std::string_view gid);

}  // namespace waybill::tests
