// Clocks of stores that are wrong, and are put right.

#include "tests/connectors/import_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

Time this_second() { return std::chrono::floor<std::chrono::seconds>(system_clock().now()); }

TEST_F(ImportTest, NothingIsLostOnceTheClockOfAStoreThatWasAheadIsPutRight) {
  for (const Duration ahead : {Duration(15min), Duration(6h), Duration(26h)}) {
    WooCommerceSimulator shop;
    const Time shown = this_second() + ahead;
    shop.set_now(shown);
    const auto cancelled = shop.add_order({}, shown - 1min);
    const auto product =
        shop.add_product({{"name", "Mug"}, {"sku", "MUG-" + std::to_string(ahead.count())}}, shown - 1min);
    auto connection = connect(shop, {.sync_products = true});
    EXPECT_EQ(connection.sync().imported, 1) << ahead.count();
    EXPECT_EQ(connection.sync().unchanged, 1) << "what is dated in the future is read again";
    for (const char* const kind : {"orders", "products"}) {
      const std::string of = kind;
      EXPECT_EQ(connection.value("coalesce(" + of + "_reached <= " + of + "_moved_at, true)"), "t") << kind;
    }

    shop.set_now(this_second());
    shop.change_order(cancelled, {{"status", "cancelled"}});
    shop.change_product(product, {{"name", "Cup"}});
    const auto added = shop.add_order();
    EXPECT_EQ(connection.sync().counts(), "1 imported, 1 updated, 0 unchanged, 0 failed") << ahead.count();
    EXPECT_EQ(connection.order(cancelled, "status"), "cancelled");
    EXPECT_NE(connection.order(added, "guid"), "");
    EXPECT_EQ(
        tenant.sql.value("select p.name from products p join imported_products m on m.product_id = p.guid "
                         "where m.integration_id = $1",
                         {connection.guid()}),
        "Cup");
  }
}

TEST_F(ImportTest, ATimeReachedInTheFutureIsPutRight) {
  const auto id = store.add_order({}, an_hour_ago());
  auto connection = connect(store);
  connection.sync();
  // As an earlier release left it.
  connection.set(
      "orders_reached = now() + interval '6 hours', orders_moved_at = now() - interval '30 minutes'");
  store.change_order(id, {{"total", "60.00"}}, this_second() - 10min);
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.value("orders_reached < now() and orders_moved_at > now() - interval '5 minutes'"),
            "t");
}

TEST_F(ImportTest, NothingIsLostOnceAStoresClockIsPutBack) {
  const auto id = store.add_order({}, an_hour_ago());
  auto connection = connect(store);
  connection.sync();
  store.set_now(this_second() - 6h);
  store.change_order(id, {{"status", "cancelled"}});
  const auto added = store.add_order();
  EXPECT_EQ(connection.sync().counts(), "1 imported, 1 updated, 0 unchanged, 0 failed");
  EXPECT_EQ(connection.order(id, "status"), "cancelled");
  EXPECT_NE(connection.order(added, "guid"), "");
  const auto reached = connection.value("orders_reached");
  EXPECT_EQ(connection.value("orders_reached < now() - interval '5 hours'"), "t");
  connection.sync();
  EXPECT_EQ(connection.value("orders_reached"), reached) << "it is put back once";
}

}  // namespace
}  // namespace waybill::tests
