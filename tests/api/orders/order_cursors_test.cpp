// The list of orders by cursor.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view orders = "/api/v1/Orders?";

// The orders of SQL: with an index or without, over the customer, with nulls at either end, with many equal
// values.
const std::vector<std::string> sortings = {"",
                                           "createdAt",
                                           "orderNumber",
                                           "totalValue desc",
                                           "collectionDate",
                                           "collectionDate desc",
                                           "deliveryAddress/city desc",
                                           "notes",
                                           "notes desc",
                                           "status desc, orderNumber",
                                           "status, collectionDate desc, totalValue",
                                           "customer/name, customer/email desc, totalValue",
                                           "customer/email desc",
                                           "carrier/name desc, notes, status desc",
                                           "source/type, collectionDate desc",
                                           "shippingCost desc, collectionDate, guid desc",
                                           "guid"};
const std::vector<std::string> selections = {"",
                                             "&$filter=status%20eq%20'ready'",
                                             "&$filter=createdAt%20ge%202026-01-01T00:01:00Z",
                                             "&$filter=status%20ne%20'ready'%20and%20totalValue%20gt%200",
                                             "&$filter=tags%20eq%20'vip'",
                                             "&$filter=contains(notes,'lamp')",
                                             "&$search=lamp"};

class OrderCursors : public ApiTest {
 protected:
  OrderCursors() {
    tenant.sql.rows(
        "with made as (insert into customers (business_id, name, email) select $1, 'Name ' || n % 2, case "
        "when n > 1 "
        "then n || '@example.com' end from generate_series(1, 4) n returning guid) "
        "insert into orders (business_id, order_number, status, customer_id, items, delivery_street, "
        "delivery_city, total_value, collection_date, notes, shipping_cost, tags, created_at) select $1, "
        "'N-' || n, "
        "(array['pending', 'ready', 'shipped'])[1 + n % 3], (select array_agg(guid) from made)[n % 6], '[]', "
        "'S', "
        "(array['Ulm', 'Äußeres', 'ulm'])[n % 4], n % 5, case when n % 3 > 0 then timestamptz '2026-02-01' + "
        "n % 2 * "
        "interval '1 day' end, case when n % 4 > 0 then 'a lamp ' || n % 7 end, case when n % 2 = 0 then n % "
        "3 end, "
        "case when n % 2 = 0 then '[\"vip\"]'::jsonb end, timestamptz '2026-01-01' + n % 8 * interval '1 "
        "minute' "
        "from generate_series(1, 64) n",
        {tenant.id});
  }

  static std::string query_of(const std::string& sorting, const std::string& selection) {
    return (sorting.empty() ? "" : "&$orderby=" + url_encode(sorting)) + selection;
  }

  Response page(const std::string& query, const std::string& cursor) {
    auto response = http.get(std::string(orders) + "PageSize=7&after=" + cursor + query);
    EXPECT_EQ(response.status, 200) << query << response.text;
    return response;
  }

  /// The guids of all pages; calls `between` after each.
  template <typename Between>
  std::vector<std::string> read_all(const std::string& query, Between between) {
    std::vector<std::string> guids;
    for (std::string cursor;;) {
      const auto response = page(query, cursor);
      if (response.status != 200) return guids;
      for (auto& guid : texts(response, "guid")) guids.push_back(std::move(guid));
      if (!at(response.body, "hasMore").as_bool()) {
        EXPECT_TRUE(at(response.body, "nextCursor").is_null());
        return guids;
      }
      EXPECT_EQ(response.data().as_array().size(), 7U);
      cursor = text_at(response.body, "nextCursor");
      between();
    }
  }

  /// The guids of the list by the number of the page.
  std::vector<std::string> plain(const std::string& query) {
    return texts(http.get(std::string(orders) + "PageSize=100" + query), "guid");
  }
};

TEST_F(OrderCursors, ThePagesAreThoseOfTheListForEachOrderAndFilter) {
  for (const auto& sorting : sortings) {
    for (const auto& selection : selections) {
      const auto query = query_of(sorting, selection);
      EXPECT_EQ(read_all(query, [] {}), plain(query)) << query;
    }
  }
}

// The position of a cursor has fields that the caller may not have selected.
TEST_F(OrderCursors, SelectedFieldsDoNotChangeThePages) {
  for (const auto& sorting : sortings) {
    const auto query = query_of(sorting, "");
    EXPECT_EQ(read_all(query + "&$select=guid,orderNumber", [] {}), plain(query)) << query;
    const auto first = page(query + "&$select=guid,orderNumber", "");
    for (const auto& order : first.data().as_array())
      EXPECT_EQ(names_of(order), (std::set<std::string>{"guid", "orderNumber"}));
  }
}

// Orders that nobody changes are neither lost nor repeated, whatever happens to the others.
TEST_F(OrderCursors, ChangesBetweenPagesNeitherLoseNorRepeatOtherOrders) {
  std::mt19937 random(11);  // NOLINT(*-msc51-cpp): the same changes in each run
  for (const auto& sorting : sortings) {
    for (const std::string selection : {"", "&$filter=tags%20eq%20'vip'"}) {
      const auto query = query_of(sorting, selection);
      std::set<std::string> changed;
      const auto before = plain(query);
      const auto read = read_all(query, [&] {
        const auto number = "N-" + std::to_string(1 + random() % 64);
        for (const auto& guid : tenant.sql.column(
                 "update orders set collection_date = case when random() < 0.5 then timestamptz "
                 "'2026-02-02' end, notes = 'b' || $3, total_value = 2, status = 'ready', "
                 "created_at = timestamptz '2026-01-01 00:03Z', delivery_city = 'Ulm' where business_id "
                 "= $1 and order_number = $2 returning guid",
                 {tenant.id, number, std::to_string(random() % 9)})) {
          changed.insert(guid);
        }
        for (const auto& guid : tenant.sql.column(
                 "insert into orders (business_id, order_number, tags, created_at) select $1, 'M-' || "
                 "gen_random_uuid(), "
                 "'[\"vip\"]', timestamptz '2026-01-01' + n * interval '1 minute' from generate_series(1, 7, "
                 "3) n "
                 "returning guid",
                 {tenant.id})) {
          changed.insert(guid);
        }
      });
      const auto unchanged = [&](const std::vector<std::string>& guids) {
        std::vector<std::string> kept;
        std::ranges::copy_if(guids, std::back_inserter(kept),
                             [&](const std::string& guid) { return !changed.contains(guid); });
        return kept;
      };
      EXPECT_EQ(unchanged(read), unchanged(before)) << query;
      tenant.sql.rows("delete from orders where business_id = $1 and order_number like 'M-%'", {tenant.id});
    }
  }
}

TEST_F(OrderCursors, TheOrderOfTheCursorMayBeDeletedInBetween) {
  const auto all = plain("");
  const auto first = page("", "");
  const auto last = texts(first, "guid").back();
  tenant.sql.rows("update orders set deleted_at = now() where business_id = $1 and guid = $2",
                  {tenant.id, last});
  const auto next = page("", text_at(first.body, "nextCursor"));
  EXPECT_EQ(texts(next, "guid").front(), all.at(7));
}

TEST_F(OrderCursors, TotalsAreCountedOnlyOnRequest) {
  for (const auto& selection : selections) {
    const auto plain_list = http.get(std::string(orders) + "PageSize=7" + selection);
    const auto counted = http.get(std::string(orders) + "PageSize=7&after=&count=true" + selection);
    for (const std::string name : {"totalCount", "totalPages", "pageSize"})
      EXPECT_EQ(at(counted.body, name), at(plain_list.body, name)) << selection;
    const auto uncounted = page(selection, "");
    EXPECT_EQ(names_of(uncounted.body),
              (std::set<std::string>{"data", "pageSize", "nextCursor", "hasMore", "success"}));
  }
}

TEST_F(OrderCursors, ACursorOfAnotherListOrBusinessIsRefused) {
  const auto cursor = text_at(page("&$orderby=status", "").body, "nextCursor");
  EXPECT_EQ(page("&$orderby=status&$search=", cursor).status, 200) << "an empty parameter is none";
  auto changed = cursor;
  changed[cursor.size() / 2] = changed[cursor.size() / 2] == 'A' ? 'B' : 'A';
  for (const auto& query :
       std::vector<std::string>{"after=" + cursor, "$orderby=status%20desc&after=" + cursor, "after=x",
                                "after=%00", "$orderby=status&$filter=status%20eq%20'ready'&after=" + cursor,
                                "$orderby=status&after=" + changed, "after=" + std::string(12'001, 'A')}) {
    expect_invalid(http.get(std::string(orders) + query), {"after"});
  }
  expect_invalid(http.get(std::string(orders) + "Page=2&$orderby=status&after=" + cursor), {"Page"});
  expect_invalid(other_business().http.get(std::string(orders) + "$orderby=status&after=" + cursor),
                 {"after"});
  expect_invalid(http.get("/api/workflows/runs?after=" + cursor), {"after"});
}

TEST_F(OrderCursors, LongTextsSortByTheirFirstCharacters) {
  tenant.sql.rows(
      "update orders set notes = repeat('é', 10000 - length(order_number)) || order_number where "
      "business_id = $1",
      {tenant.id});
  const auto read = read_all("&$orderby=notes", [] {});
  EXPECT_EQ(std::set<std::string>(read.begin(), read.end()).size(), 64U);
  EXPECT_EQ(read.size(), 64U);
  EXPECT_EQ(read, plain("&$orderby=guid"));
}

TEST_F(OrderCursors, APageOfOneLargeOrderIsAnsweredWithTheOneBehindIt) {
  tenant.write_long_values();
  tenant.sql.rows(
      "update orders set items = json_build_array(json_build_object('description', "
      "repeat(md5(order_number), 135000), 'quantity', 1, 'price', 1)) where business_id = $1 and "
      "order_number in ('N-1', 'N-2')",
      {tenant.id});
  const auto query = "&$filter=orderNumber%20in%20('N-1','N-2')&PageSize=1";
  const auto first = http.get(std::string(orders) + "after=" + query);
  ASSERT_EQ(first.status, 200) << first.text.substr(0, 1'000);
  EXPECT_EQ(http.get(std::string(orders) + "after=" + text_at(first.body, "nextCursor") + query).status, 200);
}

}  // namespace
}  // namespace waybill::tests
