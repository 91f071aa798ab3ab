#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "tests/connectors/shopify_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using connectors::StoreError;
using connectors::StoreOrder;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ShopifySweep : public ShopifyStoreTest {
 protected:
  // The orders by id, each as last read.
  std::map<std::string, StoreOrder> state(std::optional<Time> since = std::nullopt) {
    std::map<std::string, StoreOrder> orders;
    for (auto& order : store.orders(since).records) orders.insert_or_assign(order.external_id, order);
    return orders;
  }
};

TEST_F(ShopifySweep, ReadsManyPagesOldestChangeFirst) {
  shop.without_limits();
  shop.add_orders(450);
  const auto sweep = store->orders_since(std::nullopt);
  std::size_t count = 0;
  Time last = Time::min();
  std::optional<Time> reached;
  while (const auto page = store.wait(sweep->next())) {
    EXPECT_LE(page->records.size(), 250U);
    for (const auto& order : page->records) {
      EXPECT_GE(order.changed_at, last);
      last = order.changed_at;
      ++count;
    }
    if (!page->reached) continue;
    if (reached) EXPECT_GE(*page->reached, *reached);
    EXPECT_LE(*page->reached, last);
    reached = page->reached;
  }
  EXPECT_EQ(count, 450U);
  EXPECT_EQ(reached, last);
}

// Cursors that count rows skip a row when another moves back; no order may be omitted.
TEST_F(ShopifySweep, OmitsNoOrderWhenOrdersChangeBetweenPages) {
  for (const auto cursors : {ShopifyTable::Cursors::key, ShopifyTable::Cursors::position}) {
    ShopifySimulator busy;
    busy.without_limits();
    busy.use_cursors(cursors);
    std::vector<std::int64_t> all;
    for (int i = 0; i < 350; ++i) all.push_back(busy.add_order());
    busy.before_page([&](std::size_t page) {
      if (page > 4) return;
      for (std::size_t i = 0; i < 7; ++i)
        busy.change_order(all[page * 20 + i], {{"note", "page " + std::to_string(page)}});
    });
    OpenStore client(connector(), {std::string(ShopifySimulator::client_id),
                                   std::string(ShopifySimulator::client_secret), busy.url()});
    std::map<std::string, StoreOrder> read_orders;
    for (const auto& order : client.orders().records) read_orders.insert_or_assign(order.external_id, order);
    ASSERT_EQ(read_orders.size(), all.size());
    for (const auto id : all) {
      const json::value note = busy.order(id).at("note");
      EXPECT_EQ(read_orders.at(std::to_string(id)).notes.value_or(""),
                note.is_null() ? "" : std::string(note.as_string()));
    }
  }
}

// More orders in one second than a page, some of which change while that second is read.
TEST_F(ShopifySweep, OmitsNoOrderOfASecondWithMoreThanAPage) {
  for (const auto cursors : {ShopifyTable::Cursors::key, ShopifyTable::Cursors::position}) {
    ShopifySimulator busy;
    busy.without_limits();
    busy.use_cursors(cursors);
    busy.add_order();
    busy.freeze_time();
    std::vector<std::int64_t> all;
    for (int i = 0; i < 330; ++i) all.push_back(busy.add_order());
    busy.freeze_time(false);
    busy.before_page([&](std::size_t page) {
      if (page == 3 || page == 4) {
        for (std::size_t i = 0; i < 5; ++i) busy.change_order(all[page * 10 + i]);
      }
    });
    OpenStore client(connector(), {"id", std::string(ShopifySimulator::fixed_token), busy.url()});
    std::set<std::string> read_orders;
    for (const auto& order : client.orders().records) read_orders.insert(order.external_id);
    EXPECT_EQ(read_orders.size(), all.size() + 1);
  }
}

TEST_F(ShopifySweep, FindsChangesInTheSecondInWhichTheLastSweepEnded) {
  shop.freeze_time();
  const auto first = shop.add_order();
  const auto reached = store.orders().reached;
  ASSERT_TRUE(reached);
  shop.add_order();                           // in the same second
  shop.change_order(first, {{"note", "x"}});  // also in this second
  EXPECT_EQ(state(reached).size(), 2U);
}

TEST_F(ShopifySweep, EndsEvenIfTheStoreChangesContinuously) {
  const auto order = shop.add_order();
  shop.before_page([&](std::size_t) { shop.change_order(order); });
  EXPECT_GE(store.orders().records.size(), 1U);
}

TEST_F(ShopifySweep, OrdersDeletedDuringTheSweepDoNotDelayIt) {
  shop.without_limits();
  shop.add_orders(150);
  json::array items;
  for (int i = 0; i < 30; ++i) items.push_back(ShopifyShop::line_item("Tea", 1));
  const auto gone = shop.add_order({{"lineItems", items}});
  shop.add_orders(100);
  shop.before_page([&](std::size_t page) {
    if (page == 2) shop.remove_order(gone);
  });
  EXPECT_EQ(state().size(), 250U);
}

TEST_F(ShopifySweep, RequestsTheSamePageAgainAfterEachFault) {
  shop.without_limits();
  shop.add_orders(250);
  const auto expected = state();
  ASSERT_EQ(expected.size(), 250U);
  for (const auto fault : {Fault::server_error, Fault::unavailable, Fault::too_many, Fault::html, Fault::cut,
                           Fault::lost, Fault::internal_error, Fault::no_data}) {
    shop.fail_after(1, fault);
    const auto sweep = store->orders_since(std::nullopt);
    std::map<std::string, StoreOrder> orders;
    int failures = 0;
    while (true) {
      try {
        const auto page = store.wait(sweep->next());
        if (!page) break;
        for (const auto& order : page->records) orders.insert_or_assign(order.external_id, order);
      } catch (const StoreError&) {
        ASSERT_LT(++failures, 3);
      }
    }
    // After a fault that may depend on the size, a smaller page is requested at once.
    const bool is_thrown = fault == Fault::too_many || fault == Fault::html || fault == Fault::no_data;
    EXPECT_EQ(failures, is_thrown ? 1 : 0) << static_cast<int>(fault);
    EXPECT_EQ(orders.size(), expected.size()) << static_cast<int>(fault);
  }
}

TEST_F(ShopifySweep, AFaultAmongTheItemsOfAnOrderLosesNoOrder) {
  json::array items;
  for (int i = 0; i < 150; ++i) items.push_back(ShopifyShop::line_item("Tea", 1));
  shop.without_limits();
  shop.add_order();
  shop.add_order({{"lineItems", items}});
  shop.fail_after(2, Fault::server_error);
  const auto sweep = store->orders_since(std::nullopt);
  const auto page = store.wait(sweep->next());
  ASSERT_TRUE(page) << "the items are requested again in a smaller page";
  ASSERT_EQ(page->records.size(), 2U);
  EXPECT_EQ(page->records[1].items.size(), 150U);
}

TEST_F(ShopifySweep, RenewsATokenDuringASweep) {
  shop.without_limits();
  shop.add_orders(250);
  shop.before_page([&](std::size_t page) {
    if (page == 1) shop.expire_tokens();
  });
  EXPECT_EQ(state().size(), 250U);
  EXPECT_EQ(shop.grants(), 2U);
}

TEST_F(ShopifySweep, WaitsForASlowStore) {
  shop.add_orders(3);
  const auto gate = std::make_shared<Gate>();
  shop.hold(gate);
  std::thread opener([&] {
    eventually([&] { return shop.grants() == 1; });
    gate->open();
  });
  EXPECT_EQ(state().size(), 3U);
  opener.join();
}

// Rate limits

TEST_F(ShopifySweep, RemembersToRequestFewerOrdersWhenAPageCostsTooMuch) {
  shop.set_limits(20'000, 1e6, 1000);
  shop.add_orders(60);
  EXPECT_EQ(state().size(), 60U);
  const auto too_costly = shop.too_costly();
  EXPECT_GE(too_costly, 1U);
  EXPECT_LE(too_costly, 3U);
  EXPECT_EQ(state().size(), 60U);
  EXPECT_EQ(shop.too_costly(), too_costly);
}

TEST_F(ShopifySweep, GivesUpWhenEvenOneOrderCostsTooMuch) {
  shop.set_limits(1000, 1e6, 10);
  shop.add_order();
  const auto sweep = store->orders_since(std::nullopt);
  EXPECT_EQ(store.error(sweep->next()).problem(), Problem::refused);
}

TEST_F(ShopifySweep, WaitsForPointsInsteadOfBeingThrottled) {
  shop.set_limits(1200, 20'000, 1000);
  shop.add_orders(120);
  EXPECT_EQ(state().size(), 120U);
  EXPECT_LE(shop.throttled(), 1U);  // the first page, whose cost is not known yet
}

TEST_F(ShopifySweep, RequestsFewerOrdersWhenTheStoreCannotAnswer) {
  shop.without_limits();
  shop.add_orders(40);
  for (const auto fault : {Fault::server_error, Fault::unavailable, Fault::internal_error, Fault::cut}) {
    shop.fail_next(fault);
    EXPECT_EQ(state().size(), 40U) << static_cast<int>(fault);
  }
  shop.fail_next(Fault::unavailable, 20);
  const auto sweep = store->orders_since(std::nullopt);
  EXPECT_EQ(store.error(sweep->next()).problem(), Problem::failing) << "a dead store";
}

TEST_F(ShopifySweep, RetriesWhenThrottled) {
  shop.add_order();
  shop.fail_next(Fault::throttled);
  shop.fail_next(Fault::throttled_bare);
  EXPECT_EQ(state().size(), 1U);
}

TEST_F(ShopifySweep, IsBusyAfterRepeatedThrottling) {
  shop.fail_next(Fault::throttled_bare, 20);
  const auto sweep = store->orders_since(std::nullopt);
  EXPECT_EQ(store.error(sweep->next()).problem(), Problem::busy);
}

TEST_F(ShopifySweep, IsBusyWhenPointsTakeTooLongToRefill) {
  shop.set_limits(1000, 0.05, 1000);
  shop.add_orders(30);
  const auto sweep = store->orders_since(std::nullopt);
  std::optional<StoreError> error;
  while (!error) {
    try {
      if (!store.wait(sweep->next())) break;
    } catch (const StoreError& thrown) {
      error = thrown;
    }
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->problem(), Problem::busy);
  ASSERT_TRUE(error->retry_after());
  EXPECT_GT(*error->retry_after(), seconds(30));
}

TEST_F(ShopifySweep, ReadsTenThousandOrders) {
  shop.without_limits();
  shop.add_orders(10'000);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(store.orders().records.size(), 10'000U);
  const auto took = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(std::chrono::duration_cast<milliseconds>(took).count()));
  EXPECT_LE(shop.performed("WaybillOrders"), 110U);
}

}  // namespace
}  // namespace waybill::tests
