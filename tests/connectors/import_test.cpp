#include <atomic>

#include "tests/connectors/import_fixture.hpp"
#include "tests/simulators/shopify/shopify_simulator.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

// An empty delivery address, and an empty address of the customer.
json::object without_address() {
  json::object empty;
  for (const char* name :
       {"first_name", "last_name", "company", "address_1", "address_2", "city", "state", "postcode"})
    empty.emplace(name, "");
  return {{"shipping", empty}, {"billing", empty}};
}

TEST_F(ImportTest, OrdersOfAConnectedStoreAreImportedAutomatically) {
  const auto id =
      store.add_order({{"number", "W-1001"}, {"total", "53.43"}, {"currency", "SEK"}, {"status", "on-hold"}});
  auto connection = connect(store, {.auto_import = true});
  ASSERT_TRUE(eventually([&] { return connection.orders() == 1; }));
  const auto guid = connection.order(id, "guid");
  const auto response = tenant.http.get("/api/v1/Orders/" + guid);
  ASSERT_EQ(response.status, 200) << response.text;
  const auto& order = response.body.at("data");
  EXPECT_EQ(text_at(order, "orderNumber"), "W-1001");
  EXPECT_EQ(text_at(order, "status"), "pending");
  EXPECT_EQ(text_at(order, "currency"), "SEK");
  EXPECT_EQ(to_json(order.at("totalValue")), "53.43");
  EXPECT_EQ(text_at(order, "customer.email"), "jana@example.com");
  EXPECT_EQ(text_at(order, "deliveryAddress.city"), "Göteborg");
  const auto& item = order.at("items").as_array().at(0);
  EXPECT_EQ(item.at("sku").as_string(), "TEE-BLUE");
  EXPECT_EQ(to_json(item.at("quantity")), "2");
  EXPECT_EQ(to_json(item.at("price")), "20");
  EXPECT_TRUE(item.at("productId").is_null());
  EXPECT_LT(*parse_timestamp(text_at(order, "createdAt")), system_clock().now() - 59min)
      << "the store's time of creation";
  // A GET response can be PUT back.
  EXPECT_EQ(tenant.http.put("/api/v1/Orders/" + guid, order).status, 200);
  EXPECT_EQ(tenant.history_of_order(guid), std::vector<std::string>{" > pending by import"});
}

TEST_F(ImportTest, RecentOrdersAreCountedForSilences) {
  store.add_order({}, an_hour_ago());
  const auto old = store.add_order({}, an_hour_ago() - std::chrono::days(2));
  auto connection = connect(store);
  const auto counted = [&] {
    return tenant.sql.number("select coalesce(sum(count), 0)::bigint from source_counts where source_id = $1",
                             {connection.guid()});
  };
  EXPECT_EQ(connection.sync().imported, 2);
  EXPECT_EQ(counted(), 1) << "old orders of a first import do not tell how many usually come";
  connection.sync();
  EXPECT_EQ(counted(), 1) << "unchanged orders do not count";
  store.change_order(old, {{"total", "12.00"}});
  connection.sync();
  EXPECT_EQ(counted(), 2);
}

TEST_F(ImportTest, AFailureEndsTheTimeInWhichImportsBringEverything) {
  auto connection = connect(store);
  connection.sync();
  EXPECT_NE(connection.value("sweeping_since"), "");
  const std::string since = connection.value("sweeping_since");
  connection.sync();
  EXPECT_EQ(connection.value("sweeping_since"), since);
  connection.set("swept_at = now() - interval '2 hours'");
  connection.sync();
  EXPECT_NE(connection.value("sweeping_since"), since) << "no import for two hours";
  store.revoke_key();
  connection.sync();
  EXPECT_EQ(connection.value("sweeping_since"), "");
}

TEST_F(ImportTest, AGiftGoesToItsRecipientAndBelongsToItsBuyer) {
  const auto id = store.add_order(
      {{"shipping",
        {{"first_name", "Grace"}, {"last_name", "Hopper"}, {"company", "Navy"}, {"phone", "+1 2"}}}},
      an_hour_ago());
  auto connection = connect(store);
  connection.sync();
  const auto guid = connection.order(id, "guid");
  EXPECT_EQ(connection.order(id, "delivery_name"), "Grace Hopper");
  EXPECT_EQ(connection.order(id, "delivery_company"), "Navy");
  EXPECT_EQ(connection.order(id, "delivery_phone"), "+1 2");
  EXPECT_EQ(connection.order(id, "delivery_email"), "");
  EXPECT_EQ(connection.order(id, "shipping_method"), "Flat Rate");
  EXPECT_EQ(connection.order(id, "shipping_cost"), "4.90");
  EXPECT_EQ(connection.order(id, "source_type"), "import");
  EXPECT_EQ(connection.order(id, "source_url"),
            store.url() + "/wp-admin/post.php?action=edit&post=" + std::to_string(id));
  EXPECT_EQ(connection.order(id,
                             "status_changed_at between now() - interval '61 minutes' and now() - "
                             "interval '59 minutes'"),
            "t")
      << "the store's last change, not the import";
  const auto order = tenant.http.get("/api/v1/Orders/" + guid).data();
  EXPECT_EQ(text_at(order, "customer.name"), "Jana Lindström");

  // The store's change replaces the whole block.
  tenant.sql.rows("update orders set delivery_phone = '+1 3' where guid = $1", {guid});
  connection.sync();
  EXPECT_EQ(connection.order(id, "delivery_phone"), "+1 3") << "a local change stays until the store's";
  store.change_order(id, {{"shipping", {{"company", ""}}}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "delivery_company"), "");
  EXPECT_EQ(connection.order(id, "delivery_phone"), "+1 2");
}

TEST_F(ImportTest, OrdersThatTheStoreCreatedBeforeImportSinceAreNeverImported) {
  const auto month = std::chrono::days(31);
  const auto old = store.add_order({}, an_hour_ago() - month);
  const auto bad = store.add_order(without_address(), an_hour_ago() - month);
  const auto fresh = store.add_order({}, an_hour_ago());
  auto connection = connect(store);
  EXPECT_EQ(connection.sync().counts(), "1 imported, 0 updated, 0 unchanged, 0 failed");
  EXPECT_EQ(connection.order(fresh, "order_number"), std::to_string(fresh));
  store.change_order(old, {{"customer_note", "changed now"}});
  store.change_order(bad, {{"customer_note", "changed now"}});
  const auto run = connection.sync();
  EXPECT_EQ(run.imported + run.failed, 0);
  EXPECT_EQ(connection.orders(), 1);
  EXPECT_EQ(connection.failures(), 0);

  // An order that was imported earlier follows the store.
  connection.set("import_since = now() - interval '1 minute'");
  store.change_order(fresh, {{"total", "60.00"}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(fresh, "total_value"), "60.00");
}

TEST_F(ImportTest, AnEarlierImportSinceImportsTheOlderOrders) {
  const auto old = store.add_order({}, an_hour_ago() - std::chrono::days(40));
  store.add_order();
  auto connection = connect(store);
  connection.sync();
  ASSERT_EQ(connection.orders(), 1);
  const auto since = format_timestamp(an_hour_ago() - std::chrono::days(60));
  const auto changed =
      tenant.http.patch("/api/integrations/" + connection.guid(), {{"settings", {{"importSince", since}}}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(text_at(changed.body, "data.settings.importSince"), since);
  EXPECT_EQ(connection.sync().imported, 1);
  EXPECT_NE(connection.order(old, "guid"), "");
}

TEST_F(ImportTest, OrdersWithOneEmailAddressShareACustomerThatKeepsItsData) {
  tenant.sql.rows(
      "insert into customers (business_id, name, email) values ($1, 'Our Jana', 'JANA@example.com')",
      {tenant.id});
  tenant.sql.rows(
      "insert into customers (business_id, name, email, deleted_at) values ($1, 'Gone', 'bo@example.com', "
      "now())",
      {tenant.id});
  const auto jana = store.add_order();
  const auto first = store.add_order({{"billing", {{"email", "Bo@Example.com"}, {"first_name", "Bo"}}}});
  const auto second = store.add_order({{"billing", {{"email", "bo@example.com"}, {"first_name", "Bosse"}}}});
  const auto guest = store.add_order({{"billing", {{"email", ""}}}});
  auto connection = connect(store);
  EXPECT_EQ(connection.sync().imported, 4);
  const auto customer = [&](std::int64_t id) { return connection.order(id, "customer_id"); };
  EXPECT_EQ(tenant.sql.value("select name from customers where guid = $1", {customer(jana)}), "Our Jana");
  EXPECT_EQ(customer(first), customer(second));
  EXPECT_NE(customer(guest), "");
  EXPECT_NE(customer(guest), customer(jana));
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1 and deleted_at is null",
                              {tenant.id}),
            3);
  // An order without an email address keeps its customer.
  const auto before = customer(guest);
  store.change_order(guest, {{"total", "1.00"}});
  connection.sync();
  EXPECT_EQ(connection.order(guest, "total_value"), "1.00");
  EXPECT_EQ(customer(guest), before);
}

TEST_F(ImportTest, ProductsAreMatchedBySkuAndUnchangedProductsWriteNothing) {
  const auto product_guid = tenant.sql.value(
      "insert into products (business_id, name, sku, price, cost) values ($1, 'Ours', 'TEE-BLUE', 1, 0.5) "
      "returning guid",
      {tenant.id});
  store.add_product({{"sku", "TEE-BLUE"}, {"name", "Tee"}, {"price", "20"}});
  store.add_product({{"sku", ""}, {"name", "Nameless"}, {"price", ""}});
  const auto order = store.add_order();
  auto connection = connect(store, {.sync_products = true});
  const auto run = connection.sync();
  EXPECT_EQ(run.counts(), "1 imported, 0 updated, 0 unchanged, 0 failed") << "only orders are counted";
  EXPECT_EQ(
      run.reason(),
      "The product Tee: it is the product Ours here, which has the SKU TEE-BLUE, and its values replace "
      "those here.");
  const auto product = [&](const char* column) {
    return tenant.sql.value("select " + std::string(column) + " from products where guid = $1",
                            {product_guid});
  };
  EXPECT_EQ(product("name"), "Tee");
  EXPECT_EQ(product("price"), "20.00");
  EXPECT_EQ(product("cost"), "0.50") << "stores have no cost";
  EXPECT_EQ(tenant.sql.number("select count(*) from products where business_id = $1", {tenant.id}), 2);
  const auto events = connection.events(3);
  connection.sync();
  EXPECT_EQ(connection.events(3), events);
  store.change_order(order, {{"total", "2.00"}});
  connection.sync();
  EXPECT_EQ(connection.order(order, "items #>> '{0,productId}'"), product_guid);
}

TEST_F(ImportTest, ABadOrderIsSetAsideAndImportedOnceItIsFixed) {
  store.add_order();
  const auto bad = store.add_order(without_address());
  store.add_order();
  auto connection = connect(store);
  const auto run = connection.sync();
  EXPECT_EQ(run.counts(), "2 imported, 0 updated, 0 unchanged, 1 failed");
  EXPECT_EQ(run.errors.at(0).at("externalId").as_string(), std::to_string(bad));
  EXPECT_EQ(run.errors.at(0).at("orderNumber").as_string(), std::to_string(bad));
  EXPECT_NE(run.reason().find("address"), std::string::npos) << run.reason();
  EXPECT_EQ(connection.failures(), 1);
  store.change_order(bad, {{"shipping", {{"address_1", "Kungsgatan 1"}, {"city", "Lund"}}}});
  EXPECT_EQ(connection.sync().imported, 1);
  EXPECT_EQ(connection.failures(), 0);
  EXPECT_EQ(connection.orders(), 3);
}

TEST_F(ImportTest, SetAsideOrdersAreReadAgainAndDroppedOnceTheStoreHasDeletedThem) {
  const auto bad = store.add_order(without_address(), an_hour_ago());
  store.add_order({}, an_hour_ago() + 30min);  // later than the overlap
  auto connection = connect(store);
  EXPECT_EQ(connection.sync().failed, 1);
  store.forget_calls();
  EXPECT_EQ(connection.sync().failed, 1) << "a requested sweep includes set-aside orders";
  EXPECT_EQ(store.count("GET", "orders/" + std::to_string(bad)), 1U);
  store.delete_order(bad);
  EXPECT_EQ(connection.sync().failed, 0);
  EXPECT_EQ(connection.failures(), 0);
}

TEST_F(ImportTest, AnOrderThatTheDatabaseRefusesDoesNotAffectTheRestOfItsPage) {
  tenant.sql.exec("alter table orders add constraint no_cursed_orders check (order_number <> 'cursed')");
  const AtExit lift([&] { tenant.sql.exec("alter table orders drop constraint no_cursed_orders"); });
  store.add_orders(20, an_hour_ago(), 1s);
  store.add_order({{"number", "cursed"}});
  store.add_order();
  auto connection = connect(store);
  const auto run = connection.sync();
  EXPECT_EQ(run.counts(), "21 imported, 0 updated, 0 unchanged, 1 failed");
  EXPECT_EQ(run.reason(), "It breaks the rule no_cursed_orders.");
  EXPECT_EQ(connection.failures(), 1);
}

TEST_F(ImportTest, WithoutAutoImportOrdersAreImportedOnlyOnRequest) {
  store.add_order();
  auto connection = connect(store);
  const auto swept = [&] { return connection.value("due_at > now()") == "t"; };
  ASSERT_TRUE(eventually(swept));
  EXPECT_TRUE(store.calls().empty());
  EXPECT_EQ(connection.orders(), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from integration_runs where integration_id = $1",
                              {connection.guid()}),
            0);
  connection.sync();
  EXPECT_EQ(connection.orders(), 1);
  EXPECT_EQ(store.count("GET", "products"), 0U) << "syncProducts is off";
}

TEST_F(ImportTest, AStoreFailureDuringASweepNeitherLosesNorDuplicatesOrders) {
  store.add_orders(250, an_hour_ago(), 1s);
  struct Case {
    const char* name;
    std::function<Fault()> fault;
  };
  const Case cases[] = {
      {"500", [] { return failing_with(500); }},
      {"502 page", [] { return failing_with(502); }},
      {"cut", [] { return cut_answer(); }},
      {"lost", [] { return lost_answer(); }},
      {"429", [] { return too_many_requests("0.2"); }},
      {"429 for long", [] { return too_many_requests("3600"); }},
      {"firewall", [] { return firewall_page(403); }},
      {"page for 200", [] { return firewall_page(200); }},
  };
  for (const auto& each : cases) {
    Tenant business(world.waybill, test_name() + each.name);
    Connection connection(business.sql, business.id, world.waybill.secret_key_file(), store, {});
    std::atomic<bool> is_spoiled = false;
    store.after_page([&](std::size_t) {
      if (!is_spoiled.exchange(true)) store.fail(each.fault(), 20);
    });
    const auto run = connection.sync(60s);
    store.after_page({});
    store.stop_failing();
    EXPECT_EQ(run.errors.size(), 1U) << each.name;
    EXPECT_EQ(connection.value("status"), "active") << each.name;
    EXPECT_EQ(connection.value("failures"), "1") << each.name;
    EXPECT_EQ(connection.value("due_at > now() + interval '40 seconds'"), "t") << each.name;
    if (std::string_view(each.name) == "429 for long")
      EXPECT_EQ(connection.value("due_at > now() + interval '59 minutes'"), "t");
    EXPECT_TRUE(connection.sync().errors.empty()) << each.name;
    EXPECT_EQ(connection.orders(), 250) << each.name;
    EXPECT_EQ(connection.events(), 250) << each.name;
    EXPECT_EQ(connection.value("failures"), "0") << each.name;
  }
}

TEST_F(ImportTest, ABriefRateLimitOfTheStoreIsRetriedAtOnce) {
  store.add_orders(5, an_hour_ago(), 1s);
  store.fail(too_many_requests("0.1"), 1);
  auto connection = connect(store);
  const auto run = connection.sync();
  EXPECT_EQ(run.imported, 5);
  EXPECT_TRUE(run.errors.empty());
}

TEST_F(ImportTest, OrdersChangedDuringPagingOrInOneSecondAreAllImported) {
  const Time start = an_hour_ago();
  const auto first = store.add_orders(130, start, 1s);
  store.add_orders(130, start + 200s, 0s);  // in one second
  store.after_page([&](std::size_t pages) {
    if (pages == 1) store.change_order(first, {{"customer_note", "changed meanwhile"}});
  });
  auto connection = connect(store);
  connection.sync();
  store.after_page({});
  connection.sync();
  EXPECT_EQ(connection.orders(), 260);
  EXPECT_EQ(connection.order(first, "notes"), "changed meanwhile");
  EXPECT_EQ(connection.events(), 261);
}

TEST_F(ImportTest, RefusedCredentialsAreReportedAndTheIntegrationStaysActive) {
  store.add_order();
  store.revoke_key();
  auto connection = connect(store);
  const auto run = connection.sync();
  ASSERT_EQ(run.errors.size(), 1U);
  EXPECT_TRUE(run.errors.at(0).at("externalId").is_null());
  EXPECT_NE(run.reason().find("credentials"), std::string::npos) << run.reason();
  EXPECT_EQ(run.reason().find(store.secret()), std::string::npos);
  EXPECT_EQ(connection.value("status"), "active");
  const std::string log = world.waybill.process().standard_error();
  EXPECT_EQ(log.find(store.secret()), std::string::npos);
  EXPECT_EQ(log.find(store.key()), std::string::npos);
}

TEST_F(ImportTest, DisablingAStoreEndsItsSweepWithoutFurtherWrites) {
  for (const char* const end : {"status = 'disabled'", "removed_at = now()"}) {
    WooCommerceSimulator slow;
    slow.add_orders(250, an_hour_ago(), 1s);
    auto connection = connect(slow);
    const auto gate = std::make_shared<Gate>();
    slow.after_page([&](std::size_t pages) {
      if (pages == 2) slow.fail(slow_answer(gate));  // after the first page and the bin
    });
    const auto run = connection.request();
    ASSERT_TRUE(eventually([&] { return connection.orders() == 100; }));
    connection.set(end);
    gate->open();
    const auto finished = connection.finished(run);
    EXPECT_EQ(finished.imported, 100);
    EXPECT_EQ(finished.reason(), "Stopped: the integration was disabled or removed.");
    EXPECT_EQ(connection.orders(), 100);
  }
}

TEST_F(ImportTest, ASlowStoreDelaysNoOther) {
  WooCommerceSimulator slow;
  slow.add_order();
  const auto gate = std::make_shared<Gate>();
  const AtExit open([&] { gate->open(); });
  slow.fail(slow_answer(gate), 100);
  auto waiting = connect(slow, {.auto_import = true});
  ASSERT_TRUE(eventually([&] { return slow.count("GET", "orders") > 0; }));
  store.add_order();
  Tenant other(world.waybill, test_name() + "Other");
  Connection quick(other.sql, other.id, world.waybill.secret_key_file(), store, {.auto_import = true});
  EXPECT_TRUE(eventually([&] { return quick.orders() == 1; }));
  EXPECT_EQ(waiting.orders(), 0);
}

TEST_F(ImportTest, OnlyTheLatestRunWithoutChangesIsKept) {
  store.add_orders(3, an_hour_ago(), 1s);
  auto connection = connect(store, {.auto_import = true});
  const auto runs = [&](const char* condition) {
    return tenant.sql.number(
        "select count(*) from integration_runs where integration_id = $1 and " + std::string(condition),
        {connection.guid()});
  };
  ASSERT_TRUE(eventually([&] { return runs("imported = 3 and finished_at is not null") == 1; }));
  ASSERT_TRUE(eventually([&] { return runs("unchanged > 0 and finished_at is not null") == 1; }));
  const auto idle = [&] {
    return tenant.sql.value(
        "select max(guid::text) from integration_runs where integration_id = $1 and imported = 0",
        {connection.guid()});
  };
  const auto first = idle();
  ASSERT_TRUE(eventually([&] { return idle() > first && runs("finished_at is null") == 0; }));
  EXPECT_EQ(runs("imported = 3"), 1);
  EXPECT_LE(runs("imported = 0"), 2);
}

TEST_F(ImportTest, ProductsHaveTheCustomsValuesOfTheStore) {
  ShopifySimulator shop;
  shop.without_limits();
  const auto variant = [](const char* sku, json::value code, json::value country) {
    json::object made = ShopifyShop::variant("Default Title", sku, "12.45", 250, "GRAMS");
    json::object& item = made.at("inventoryItem").as_object();
    item["harmonizedSystemCode"] = std::move(code);
    item["countryCodeOfOrigin"] = std::move(country);
    return json::array{made};
  };
  const auto tea = shop.add_product({{"title", "Tea"}, {"variants", variant("TEA", "0902.10", "JP")}});
  shop.add_product({{"title", "Mug"}, {"variants", variant("MUG", "69", "PT")}});
  auto connection = connect({"shopify", shop.url(), std::string(ShopifySimulator::client_id),
                             std::string(ShopifySimulator::client_secret)},
                            {.sync_products = true});
  EXPECT_EQ(connection.sync().reason(),
            "The product Mug: its HS code 69 is left out, because it does not have 6 to 10 digits.");
  const auto customs = [&](const std::string& sku) {
    return tenant.sql.value(
        "select concat_ws(' ', hs_code, origin_country) from products where business_id = $1 and sku = $2",
        {tenant.id, sku});
  };
  EXPECT_EQ(customs("TEA"), "090210 JP");
  EXPECT_EQ(customs("MUG"), "PT");
  EXPECT_TRUE(connection.sync().errors.empty()) << "reported once";
  // A value that the store does not have any more, or never had, is the business's.
  shop.change_product(tea, {{"variants", variant("TEA", nullptr, "CN")}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(customs("TEA"), "090210 CN");
}

}  // namespace
}  // namespace waybill::tests
