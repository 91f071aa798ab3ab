#include <map>
#include <set>
#include <thread>

#include "tests/connectors/woocommerce_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using connectors::StoreProblem;
using std::chrono::hours;
using std::chrono::seconds;

// Summer time in Berlin: UTC+2.
const Time first_change = *parse_timestamp("2026-07-01T12:00:00Z");

std::set<std::string> ids(const connectors::StorePage<connectors::StoreOrder>& page) {
  std::set<std::string> result;
  for (const auto& order : page.records) result.insert(order.external_id);
  return result;
}

TEST_F(WooCommerceStore, OrdersAreReadOnceEachOldestChangeFirst) {
  start();
  store_->add_orders(250, first_change, seconds(1));
  const auto page = sweep();
  ASSERT_EQ(page.records.size(), 250U);
  for (std::size_t i = 0; i < 250; ++i) {
    EXPECT_EQ(page.records[i].changed_at, first_change + seconds(i));
  }
  EXPECT_EQ(page.reached, first_change + seconds(249));
  for (const auto& call : store_->calls()) {
    EXPECT_EQ(call.parameters.at("dates_are_gmt"), "true");
    EXPECT_EQ(call.parameters.at("per_page"), "100");
    EXPECT_EQ(call.parameters.at("page"), "1");
    EXPECT_EQ(call.parameters.at("status"), "any");
  }
}

TEST_F(WooCommerceStore, ASweepIncludesItsFirstSecond) {
  start();
  const auto first = store_->add_orders(10, first_change, seconds(1));
  EXPECT_EQ(ids(sweep(first_change + seconds(7))).size(), 3U)
      << "including the seventh second, although the filter is strict";
  EXPECT_EQ(ids(sweep(first_change + seconds(7) + std::chrono::milliseconds(900))).size(), 3U);
  EXPECT_TRUE(ids(sweep(first_change + seconds(7))).contains(std::to_string(first + 7)));
  EXPECT_TRUE(sweep(first_change + seconds(10)).records.empty());
  EXPECT_EQ(sweep(first_change + seconds(10)).reached, std::nullopt);
}

TEST_F(WooCommerceStore, TheTimeZoneOfTheSiteHidesNoOrders) {
  start();
  for (const Time at : {first_change, *parse_timestamp("2026-01-15T12:00:00Z")}) {
    store_->add_order({}, at - hours(3));
    const auto id = store_->add_order({}, at);
    const auto page = sweep(at - hours(1));
    EXPECT_TRUE(ids(page).contains(std::to_string(id)));
    for (const auto& order : page.records) EXPECT_GE(order.changed_at, at - hours(1));
  }
}

TEST_F(WooCommerceStore, OrdersThatChangeDuringASweepHideNoOthers) {
  for (const Duration step : {Duration(seconds(1)), Duration(0)}) {
    start();
    const auto first = store_->add_orders(500, first_change, step);
    store_->after_page([&](std::size_t pages) {
      if (pages > 4) return;
      for (std::size_t i = 0; i < 10; ++i) {
        store_->change_order(first + static_cast<std::int64_t>((pages - 1) * 100 + i),
                             {{"status", "completed"}});
      }
    });
    const auto page = sweep();
    EXPECT_EQ(ids(page).size(), 500U);
    store_->after_page({});
    // Changed orders have their new status now or in the next sweep.
    std::map<std::string, std::string> statuses;
    for (const auto& order : page.records) statuses[order.external_id] = order.status;
    for (const auto& order : sweep(page.reached).records) statuses[order.external_id] = order.status;
    for (std::int64_t id = first; id < first + 500; ++id) {
      const bool completed = text_at(store_->order(id), "status") == "completed";
      EXPECT_EQ(statuses[std::to_string(id)], completed ? "shipped" : "processing") << id;
    }
  }
}

TEST_F(WooCommerceStore, OrdersDeletedDuringASweepHideNoOthers) {
  for (const Duration step : {Duration(seconds(1)), Duration(0)}) {
    start();
    const auto first = store_->add_orders(350, first_change, step);
    store_->after_page([&](std::size_t pages) {
      if (pages > 3) return;
      store_->trash_order(first + static_cast<std::int64_t>(pages));
      store_->delete_order(first + 10 + static_cast<std::int64_t>(pages));
    });
    const auto found = ids(sweep());
    for (std::int64_t id = first + 20; id < first + 350; ++id) {
      EXPECT_TRUE(found.contains(std::to_string(id))) << id;
    }
  }
}

TEST_F(WooCommerceStore, ASecondWithMoreOrdersThanAPageIsReadCompletely) {
  start();
  store_->add_orders(350, first_change, Duration(0));
  store_->add_orders(10, first_change + seconds(1), seconds(1));
  EXPECT_EQ(sweep().records.size(), 360U);
  EXPECT_EQ(sweep(first_change).reached, first_change + seconds(10));
}

TEST_F(WooCommerceStore, AStoreThatDoesNotCountItsPagesIsReadToItsEnd) {
  start({.counts_pages = false});
  store_->add_orders(250, first_change, seconds(1));
  store_->add_orders(230, first_change + hours(1), Duration(0));
  EXPECT_EQ(sweep().records.size(), 480U);
}

TEST_F(WooCommerceStore, AfterAnErrorTheNextCallRequestsTheSamePage) {
  start();
  store_->add_orders(250, first_change, seconds(1));
  const auto orders = connection_->orders_since(std::nullopt);
  const std::vector<Fault> faults = {failing_with(500), too_many_requests("1"), cut_answer(),
                                     lost_answer(),     firewall_page(200),     firewall_page(403)};
  std::set<std::string> found;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    store_->fail(faults[i], 1'000'000);
    const auto problem = problem_of([&] { client_.run(orders->next()); });
    EXPECT_NE(problem, std::nullopt) << i;
    store_->stop_failing();
    if (i % 2 == 0) continue;
    if (const auto page = client_.run(orders->next())) found.merge(ids(*page));
  }
  found.merge(ids(client_.all(*orders)));
  EXPECT_EQ(found.size(), 250U);
}

TEST_F(WooCommerceStore, ASlowPageIsWaitedFor) {
  start();
  store_->add_orders(3, first_change, seconds(1));
  const auto gate = std::make_shared<Gate>();
  store_->fail(slow_answer(gate));
  std::jthread opener([&] {
    eventually([&] { return !store_->calls().empty(); });
    gate->open();
  });
  EXPECT_EQ(sweep().records.size(), 3U);
}

TEST_F(WooCommerceStore, DraftsAndTrashAreNotListed) {
  start();
  store_->add_order({{"status", "checkout-draft"}}, first_change);
  store_->add_order({{"status", "auto-draft"}}, first_change);
  store_->add_order({{"status", "trash"}}, first_change);
  store_->add_order({{"status", "custom-slug"}}, first_change);
  const auto page = sweep();
  ASSERT_EQ(page.records.size(), 1U);
  EXPECT_EQ(page.records[0].status, "pending");
}

TEST_F(WooCommerceStore, ABadOrderIsSetAsideAndTheRestIsRead) {
  start();
  store_->add_orders(5, first_change, seconds(1));
  const auto bad =
      store_->add_order({{"total", "free"}, {"number", "B-1"}, {"status", "cancelled"}}, first_change);
  const auto page = sweep();
  EXPECT_EQ(page.records.size(), 5U);
  ASSERT_EQ(page.unreadable.size(), 1U);
  EXPECT_EQ(page.unreadable[0].external_id, std::to_string(bad));
  EXPECT_EQ(page.unreadable[0].number, "B-1");
  EXPECT_FALSE(page.unreadable[0].reason.empty());
  EXPECT_EQ(page.unreadable[0].status, "cancelled");
}

// PHP writes an array with gaps as an object, for example after a plugin has filtered it.
TEST_F(WooCommerceStore, AListMayBeAnObjectWithIndices) {
  start();
  store_->add_orders(3, first_change, seconds(1));
  store_->fail({.spoil =
                    [](Reply& reply) {
                      json::object list;
                      const auto rows = json::parse(reply.body);
                      for (const auto& row : rows.as_array())
                        list.emplace(std::to_string(list.size() * 2), row);
                      reply.body = to_json(list);
                    },
                .reaches_store = true},
               1'000'000);
  EXPECT_EQ(sweep().records.size(), 3U);
}

TEST_F(WooCommerceStore, ManyItemsForeignLettersAndOtherCurrenciesAreRead) {
  start();
  json::array lines;
  for (int i = 0; i < 100; ++i) {
    lines.push_back({{"id", i},
                     {"name", "Ящик №" + std::to_string(i) + " &#8211; 箱"},
                     {"product_id", i + 1},
                     {"variation_id", 0},
                     {"quantity", 1},
                     {"total", "1"},
                     {"sku", nullptr},
                     {"price", 1}});
  }
  store_->add_order({{"line_items", lines}, {"currency", "JPY"}, {"total", "100"}}, first_change);
  store_->add_order({{"currency", "KWD"}, {"total", "1.234"}}, first_change + seconds(1));
  const auto page = sweep();
  ASSERT_EQ(page.records.size(), 2U);
  ASSERT_EQ(page.records[0].items.size(), 100U);
  EXPECT_EQ(page.records[0].items[42].description, "Ящик №42 – 箱");
  EXPECT_EQ(page.records[0].items[42].sku, "WC-43");
  EXPECT_EQ(page.records[0].total, "100");
  EXPECT_EQ(page.records[1].total, "1.234");
}

TEST_F(WooCommerceStore, ARefundIsAChangeAndAFullRefundACancellation) {
  start();
  store_->set_now(first_change + hours(1));
  const auto part = store_->add_order({}, first_change);
  const auto full = store_->add_order({}, first_change);
  store_->refund_order(part, "9.00", false);
  store_->refund_order(full, "53.43", true);
  std::map<std::string, std::string> statuses;
  for (const auto& order : sweep(first_change + seconds(1)).records) {
    statuses[order.external_id] = order.status;
    EXPECT_EQ(order.total, "53.43");
  }
  EXPECT_EQ(statuses, (std::map<std::string, std::string>{{std::to_string(part), "processing"},
                                                          {std::to_string(full), "cancelled"}}));
}

TEST_F(WooCommerceStore, OneOrderIsFoundByItsId) {
  start();
  const auto read_order = [&](const std::string& id) { return client_.run(connection_->order(id)); };
  const auto id = store_->add_order({}, first_change);
  ASSERT_EQ(read_order(std::to_string(id)).records.size(), 1U);
  EXPECT_EQ(read_order(std::to_string(id)).records[0].external_id, std::to_string(id));
  store_->trash_order(id);
  EXPECT_EQ(read_order(std::to_string(id)).records.at(0).status, "cancelled");
  store_->delete_order(id);
  EXPECT_TRUE(read_order(std::to_string(id)).records.empty());
  const auto draft = store_->add_order({{"status", "checkout-draft"}}, first_change);
  EXPECT_TRUE(read_order(std::to_string(draft)).records.empty());
  store_->forget_calls();
  for (const auto* const none : {"", "x", "7/notes", "-1", "../7"})
    EXPECT_TRUE(read_order(none).records.empty());
  EXPECT_TRUE(store_->calls().empty()) << "an impossible id is not requested";
}

TEST_F(WooCommerceStore, ProductsHaveTheirVariantsAndConvertedUnits) {
  start({.weight_unit = "g", .dimension_unit = "in"});
  const auto simple = store_->add_product({{"weight", "250"}}, first_change);
  const auto variable = store_->add_product({{"weight", "1000"}}, first_change + seconds(1));
  for (int i = 0; i < 130; ++i) store_->add_variation(variable, {{"weight", i == 0 ? "500" : ""}});
  store_->add_product({{"status", "draft"}}, first_change + seconds(2));
  const auto products = connection_->products_since(std::nullopt);
  const auto page = client_.all(*products);
  ASSERT_EQ(page.records.size(), 2U);
  EXPECT_EQ(page.records[0].external_id, std::to_string(simple));
  EXPECT_EQ(page.records[0].weight, "0.25");
  EXPECT_EQ(page.records[0].length, "76.2");
  EXPECT_EQ(page.records[0].description, "Mjuk & varm.");
  EXPECT_TRUE(page.records[0].variants.empty());
  ASSERT_EQ(page.records[1].variants.size(), 130U);
  EXPECT_EQ(page.records[1].variants[0].weight, "0.5");
  EXPECT_EQ(page.records[1].variants[1].weight, "1");
  EXPECT_EQ(page.reached, first_change + seconds(2));
  EXPECT_EQ(store_->count("GET", "settings/products"), 1U) << "its units are requested once";
}

TEST_F(WooCommerceStore, OnlyChangedProductsAreRequestedAgain) {
  start();
  store_->add_product({}, first_change);
  store_->add_product({}, first_change + hours(1));
  const auto products = connection_->products_since(first_change + hours(1));
  EXPECT_EQ(client_.all(*products).records.size(), 1U);
}

TEST_F(WooCommerceStore, AProductThatSweepsLeaveOutIsNotShownByItsId) {
  start();
  const auto read = [&](std::int64_t id) { return client_.run(connection_->product(std::to_string(id))); };
  const auto is_gone = [&](std::int64_t id) {
    const auto page = read(id);
    return page.records.empty() && page.unreadable.empty();
  };
  const auto mug = store_->add_product({{"sku", "MUG"}});
  const auto shirt = store_->add_product({{"sku", "SHIRT"}});
  for (int i = 0; i < 130; ++i) store_->add_variation(shirt);
  const auto found = read(shirt);
  ASSERT_EQ(found.records.size(), 1U);
  EXPECT_EQ(found.records[0].external_id, std::to_string(shirt));
  EXPECT_EQ(found.records[0].sku, "SHIRT");
  EXPECT_EQ(found.records[0].variants.size(), 130U);
  EXPECT_FALSE(is_gone(mug));
  for (const auto* const status : {"draft", "pending", "trash"}) {
    store_->change_product(mug, {{"status", status}});
    EXPECT_TRUE(is_gone(mug)) << status;
  }
  store_->change_product(mug, {{"status", "publish"}, {"type", "variation"}});
  EXPECT_TRUE(is_gone(mug)) << "it became a variation";
  store_->delete_product(mug);
  EXPECT_TRUE(is_gone(mug));
  EXPECT_EQ(client_.run(connection_->product("../7")).unreadable.size(), 1U);
  store_->break_product(shirt);
  EXPECT_EQ(problem_of([&] { read(shirt); }), connectors::StoreProblem::failing);
  store_->fail({.spoil = [](Reply& reply) {
    reply = json_reply(404, {{"code", "rest_no_route"}, {"message", "No route was found."}});
  }});
  EXPECT_EQ(problem_of([&] { read(mug); }), connectors::StoreProblem::wrong_store)
      << "a site without WooCommerce has lost no product";
}

TEST_F(WooCommerceStore, TenThousandOrdersTakeAboutAHundredCalls) {
  start();
  store_->add_orders(10'000, first_change - hours(10), seconds(1));
  sweep();  // makes the simulator build its JSON first
  store_->forget_calls();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(sweep().records.size(), 10'000U);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  RecordProperty("orders_per_second", static_cast<int>(10'000 / took.count()));
  EXPECT_LE(store_->calls().size(), 102U);
}

}  // namespace
}  // namespace waybill::tests
