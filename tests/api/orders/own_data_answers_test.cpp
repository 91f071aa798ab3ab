// The answers of lists by own data are those of a plain evaluation, for any distribution of values.
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

/// A condition of a list, and the same without functions that an index has.
struct Condition {
  std::string filter, sql;
};

/// An order of a list and the same in SQL.
struct Order {
  std::string_view list, sql;
};

constexpr Order newest_first{"", "created_at desc, guid desc"};
constexpr Order orders_of_lists[] = {newest_first,
                                     {"createdAt", "created_at, guid"},
                                     {"orderNumber desc", "order_number desc, guid desc"},
                                     {"totalValue,status desc", "total_value, status desc, guid desc"},
                                     {"notes", "notes nulls first, guid"},
                                     {"status", "status, guid"},
                                     {"source/type", "source_type nulls first, guid"},
                                     {"customer/name", "guid"}};

Condition has_tag(const std::string& tag) {
  return {"tags eq '" + tag + "'",
          "exists (select from jsonb_array_elements_text(tags) t where lower(t) = lower('" + tag + "'))"};
}

Condition has_reference(const std::string& value) {
  return {"externalReference eq '" + value + "'", "coalesce(external_reference = '" + value + "', false)"};
}

Condition has_metadata(const std::string& value) {
  return {"metadata/k eq '" + value + "'", "coalesce(metadata ->> 'k' = '" + value + "', false)"};
}

/// A business with 3 000 records, of which random parts have each of a few values: three times as many as
/// those by which the way to read a page is chosen.
class OwnDataAnswers : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr int records = 3'000;

  int random(int most) { return std::uniform_int_distribution(0, most)(random_); }

  template <typename T>
  const T& any_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(random(static_cast<int>(choices.size()) - 1))];
  }

  /// A condition on the number of a record: none, all, a few of the oldest or newest, a block, or a share.
  std::string part() {
    const std::string few = std::to_string(random(60));
    const std::string first = std::to_string(random(records));
    return any_of<std::string>({"false", "true", "n <= " + few,
                                "n > " + std::to_string(records) + " - " + few,
                                "n between " + first + " and " + first + " + 900",
                                "hashint4(n + " + first + ") % " + std::to_string(2 + random(80)) + " = 0"});
  }

  /// Inserts the records with the further columns and their values.
  void insert(const std::string& table, const std::string& columns, const std::string& values) {
    std::string tags = "'[]'::jsonb";
    for (const std::string_view tag : {"Ash", "Elm", "Fir", "Oak"})
      tags += " || case when " + part() + " then '[\"" + std::string(tag) + "\"]'::jsonb else '[]' end";
    tenant.sql.exec(
        "insert into " + table + " (business_id, created_at, external_reference, tags, metadata, " + columns +
        ") select '" + tenant.id + "', timestamptz '2026-01-01' + n / 3 * interval '1 minute', case when " +
        part() + " then 'x' when " + part() + " then 'y' end, nullif(" + tags + ", '[]'), case when " +
        part() + " then '{\"k\": \"x\"}'::jsonb when " + part() + " then '{\"k\": \"y\", \"l\": 1}' end, " +
        values + " from generate_series(1, " + std::to_string(records) + ") n");
    if (random(1) == 0) database.exec("analyze " + table);
  }

  Condition simple() {
    const auto value = any_of<std::string>({"x", "y", "z"});
    switch (random(2)) {
      case 0:
        return has_reference(value);
      case 1:
        return has_metadata(value);
      default:
        return has_tag(any_of<std::string>({"ash", "ELM", "Fir", "oak", "none"}));
    }
  }

  Condition condition() {
    const Condition one = simple(), other = simple();
    switch (random(6)) {
      case 0:
        return {one.filter + " and " + other.filter, one.sql + " and " + other.sql};
      case 1:
        return {one.filter + " or " + other.filter, "(" + one.sql + " or " + other.sql + ")"};
      case 2:
        return {"not (" + one.filter + ")", "not " + one.sql};
      case 3: {
        auto differs = one.filter;
        return {differs.replace(differs.find(" eq "), 4, " ne "), "not " + one.sql};
      }
      case 4:
        return {one.filter + " and status in ('ready','pending')",
                one.sql + " and status in ('ready', 'pending')"};
      default:
        return one;
    }
  }

  /// Expects rows and total of a page; `names` are the parameters of its number and size.
  void expect_page(const std::string& path, const std::string& table, const std::string& sql,
                   std::string_view order, std::pair<std::string, std::string> names) {
    const int size = any_of<int>({1, 7, 50, 100});
    const int page = any_of<int>({1, 1, 2, 5, 21, 400});
    const std::string target = path + "&" + names.first + "=" + std::to_string(page) + "&" + names.second +
                               "=" + std::to_string(size);
    const std::string found =
        " from " + table + " where business_id = '" + tenant.id + "' and deleted_at is null and " + sql;
    const auto response = tenant.http.get(target);
    ASSERT_EQ(response.status, 200) << target << response.text;
    EXPECT_EQ(response.body.at("totalCount").to_number<std::int64_t>(),
              tenant.sql.number("select count(*)" + found))
        << target;
    std::string guids;
    for (const auto& record : response.data().as_array()) guids += text_at(record, "guid") + " ";
    EXPECT_EQ(guids, tenant.sql.value("select coalesce(string_agg(guid || ' ', '' order by place), '') from "
                                      "(select guid, row_number() over (order by " +
                                      std::string(order) + ") as place" + found + ") f where place > " +
                                      std::to_string((page - 1) * size) +
                                      " and place <= " + std::to_string(page * size)))
        << target;
  }

  std::mt19937 random_{GetParam()};
  TestDatabase database;
  Waybill waybill{database.url()};
  Tenant tenant{waybill, "shop"};
};

TEST_P(OwnDataAnswers, OrdersAreThoseOfAPlainEvaluation) {
  insert("orders", "order_number, items, delivery_street, delivery_city, status, total_value, notes",
         "'N-' || lpad((n * 7919 % 3001)::text, 4, '0'), '[]', 'S', 'C', "
         "(array['pending', 'ready', 'shipped'])[1 + n % 3], n % 40, nullif('note ' || n % 90, 'note 7')");
  tenant.sql.exec("update orders set deleted_at = now() where order_number like '%9'");
  for (int i = 0; i < 60; ++i) {
    const auto [filter, sql] = condition();
    const auto& order = orders_of_lists[random(std::size(orders_of_lists) - 1)];
    expect_page("/api/v1/Orders?$filter=" + url_encode(filter) +
                    (order.list.empty() ? "" : "&$orderby=" + url_encode(order.list)),
                "orders", sql, order.sql, {"Page", "PageSize"});
  }
}

TEST_P(OwnDataAnswers, CustomersAndProductsAreThoseOfAPlainEvaluation) {
  insert("customers", "name", "'Name ' || n % 50");
  insert("products", "name, sku", "'Name ' || n % 50, 'S-' || n");
  for (int i = 0; i < 30; ++i) {
    const Condition one = condition();
    if (one.filter.find("status") != std::string::npos) continue;
    const std::string table = any_of<std::string>({"customers", "products"});
    const Order order = any_of<Order>({newest_first, {"name", "name, guid"}});
    expect_page((table == "customers" ? "/api/v1/Customers?$filter=" : "/api/v1/Products?$filter=") +
                    url_encode(one.filter) +
                    (order.list.empty() ? "" : "&$orderby=" + std::string(order.list)),
                table, one.sql, order.sql, {"Page", "PageSize"});
  }
}

TEST_P(OwnDataAnswers, ShipmentsAreThoseOfAPlainEvaluation) {
  insert("shipments", "tracking_number, status",
         "'WB' || n, (array['created', 'delivered', 'collected'])[1 + n % 3]");
  for (int i = 0; i < 30; ++i) {
    const auto tag = any_of<std::string>({"ash", "ELM", "Fir", "oak", "none"});
    const auto reference = any_of<std::string>({"x", "y", "z"});
    std::string query = "tag=" + tag, sql = has_tag(tag).sql;
    if (random(2) == 0) {
      query = "externalReference=" + reference, sql = has_reference(reference).sql;
    } else if (random(2) == 0) {
      query += "&externalReference=" + reference, sql += " and " + has_reference(reference).sql;
    }
    if (random(2) == 0) query += "&status=created", sql += " and status = 'created'";
    expect_page("/api/v1/shipments?" + query, "shipments", sql, newest_first.sql, {"page", "perPage"});
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OwnDataAnswers, testing::Values(1U, 2U, 3U, 4U));

}  // namespace
}  // namespace waybill::tests
