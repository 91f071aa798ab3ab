// Imports from stores that leave data out, erase it, refund a part of an order or fail to answer.
#include <set>

#include "base/guid.hpp"
#include "tests/connectors/import_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t always = 1'000'000;

json::object line(std::int64_t id, std::string_view name, int quantity) {
  return {
      {"id", id},         {"name", name}, {"product_id", 5},           {"sku", name}, {"quantity", quantity},
      {"total", "10.00"}, {"price", 10},  {"meta_data", json::array()}};
}

json::object without_data(std::string_view status) {
  json::object empty;
  for (const char* name : {"first_name", "last_name", "company", "address_1", "address_2", "city", "state",
                           "postcode", "country"})
    empty.emplace(name, "");
  auto billing = empty;
  billing["email"] = "deleted@site.invalid";
  return {{"status", status}, {"shipping", empty}, {"billing", billing}};
}

/// The correct answer with a text before it.
Fault beginning_with(std::string text) {
  return {.spoil = [text = std::move(text)](Reply& reply) { reply.body.insert(0, text); },
          .reaches_store = true};
}

Fault on(Fault fault, std::string path_part) {
  fault.path_part = std::move(path_part);
  return fault;
}

class ImportData : public ImportTest {
 protected:
  std::vector<std::string> product_names() {
    return tenant.sql.column("select name from products where business_id = $1 order by name", {tenant.id});
  }
  /// "2 Mug, 1 Plate"
  std::string items(Connection& connection, std::int64_t id) {
    return connection.order(id,
                            "(select string_agg((i ->> 'quantity') || ' ' || (i ->> 'description'), ', ') "
                            "from json_array_elements(items) i)");
  }
};

// Refunds

TEST_F(ImportData, GoodsThatWerePaidBackAreNotImported) {
  const auto id = store.add_order({{"line_items", {line(1, "Mug", 2), line(2, "Plate", 1)}}}, an_hour_ago());
  store.refund_lines(id, {{1, 1}});
  auto connection = connect(store);
  EXPECT_EQ(connection.sync().imported, 1);
  EXPECT_EQ(items(connection, id), "1 Mug, 1 Plate");
  store.refund_lines(id, {{2, 1}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(items(connection, id), "1 Mug") << "several refunds, and a refund after the import";
  const auto events = connection.events();
  store.refund_order(id, "3.00", false);
  connection.sync();
  EXPECT_EQ(connection.events(), events) << "an amount alone changes nothing";
  store.refund_lines(id, {{1, 1}});
  connection.sync();
  EXPECT_EQ(connection.order(id, "status"), "cancelled") << "nothing is left to pack";
}

TEST_F(ImportData, OrdersWithoutRefundsCostNoCall) {
  store.add_orders(30, an_hour_ago(), 1s);
  const auto refunded = store.add_order({{"line_items", {line(1, "Mug", 2)}}});
  store.refund_lines(refunded, {{1, 1}});
  auto connection = connect(store);
  connection.sync();
  EXPECT_EQ(store.count("GET", "/refunds"), 1U);
}

TEST_F(ImportData, AnOrderWhoseRefundsCannotBeReadWaitsAlone) {
  const auto refunded = store.add_order({{"line_items", {line(1, "Mug", 2)}}}, an_hour_ago());
  store.refund_lines(refunded, {{1, 1}});
  store.add_orders(5, an_hour_ago(), 1s);
  for (const auto& fault : {failing_with(500), failing_with(404), firewall_page(200)}) {
    Tenant business(world.waybill, "Refunds " + Guid::random().to_string());
    Connection connection(business.sql, business.id, world.waybill.secret_key_file(), store, {});
    store.fail(on(fault, "/refunds"), always);
    const auto run = connection.sync();
    EXPECT_EQ(run.counts(), "5 imported, 0 updated, 0 unchanged, 1 failed");
    EXPECT_NE(run.reason().find("refunds"), std::string::npos) << run.reason();
    store.stop_failing();
    EXPECT_EQ(connection.sync().imported, 1);
    EXPECT_EQ(items(connection, refunded), "1 Mug");
  }
}

// A store that cannot answer

TEST_F(ImportData, AStoreThatCannotAnswerWholePagesIsReadInSmallerOnes) {
  store.add_orders(140, an_hour_ago(), 1s);
  const std::string exhausted =
      "<br />\n<b>Fatal error</b>:  Allowed memory size of 268435456 bytes exhausted<br />\n";
  const Fault faults[] = {
      failing_with(500), failing_with(502),
      failing_with(503), failing_with(504),
      failing_with(524), firewall_page(200),
      cut_answer(),      {.spoil = [&](Reply& reply) { reply.body = exhausted; }, .reaches_store = true}};
  for (const auto& fault : faults) {
    Tenant business(world.waybill, "Pages " + Guid::random().to_string());
    Connection connection(business.sql, business.id, world.waybill.secret_key_file(), store, {});
    store.fail(on(fault, "per_page=100"), always);
    store.fail(on(fault, "per_page=50"), always);
    store.forget_calls();
    const auto run = connection.sync(60s);
    store.stop_failing();
    EXPECT_EQ(run.counts(), "140 imported, 0 updated, 0 unchanged, 0 failed");
    EXPECT_TRUE(run.errors.empty());
    EXPECT_LE(store.calls().size(), 24U);
  }
}

TEST_F(ImportData, ProductsAreReadInSmallerPagesToo) {
  for (int i = 0; i < 60; ++i) store.add_product({{"name", "P" + std::to_string(i)}}, an_hour_ago() + i * 1s);
  const auto shirt = store.add_product({{"name", "Shirt"}});
  for (int i = 0; i < 30; ++i) store.add_variation(shirt, {{"sku", "V" + std::to_string(i)}});
  store.fail(on(failing_with(504), "per_page=100"), always);
  auto connection = connect(store, {.sync_products = true});
  EXPECT_TRUE(connection.sync(60s).errors.empty());
  EXPECT_EQ(tenant.sql.number("select count(*) from products where business_id = $1", {tenant.id}), 61);
  EXPECT_EQ(
      tenant.sql.number("select jsonb_array_length(variants) from products where business_id = $1 and name = "
                        "'Shirt'",
                        {tenant.id}),
      30);
}

TEST_F(ImportData, ADeadStoreIsNotAskedOftenAndASlowOneKeepsItsPageSize) {
  store.add_orders(120, an_hour_ago(), 1s);
  store.fail(failing_with(504), always);
  auto connection = connect(store);
  const auto run = connection.sync(60s);
  EXPECT_EQ(run.reason(), "The store answers 504.");
  EXPECT_LE(store.calls().size(), 6U);
  store.stop_failing();
  store.fail(on(failing_with(504), "per_page=100"), always);
  store.fail(on(failing_with(504), "per_page=50"), always);
  EXPECT_EQ(connection.sync(60s).imported, 120);
  store.forget_calls();
  EXPECT_TRUE(connection.sync().errors.empty());
  for (const auto& call : store.calls()) EXPECT_NE(call.parameters.at("per_page"), "100");
}

TEST_F(ImportData, AServerThatAsksForAWaitInsteadOfALongPageIsReadInShorterPages) {
  store.add_orders(120, an_hour_ago(), 1s);
  store.fail(on(failing_with(503, {{"Retry-After", "600"}}), "per_page=100"), always);
  auto connection = connect(store);
  EXPECT_EQ(connection.sync(60s).imported, 120);
}

TEST_F(ImportData, AnOrderThatTheStoreCannotShowIsSetAsideAndDelaysNoOther) {
  const auto first = store.add_orders(40, an_hour_ago(), 1s);
  store.break_order(first + 7);
  store.break_order(first + 8);
  auto connection = connect(store);
  auto run = connection.sync(60s);
  EXPECT_EQ(run.counts(), "38 imported, 0 updated, 0 unchanged, 2 failed");
  ASSERT_EQ(run.errors.size(), 2U);
  EXPECT_EQ(run.errors.at(0).at("externalId").as_string(), std::to_string(first + 7));
  EXPECT_EQ(run.errors.at(0).at("reason").as_string(), "The store cannot show it: The store answers 500.");
  // They are read again one by one, and a store that still fails for them fails no import.
  run = connection.sync(60s);
  EXPECT_EQ(run.failed, 2);
  EXPECT_EQ(connection.value("failures"), "0");
  store.break_order(first + 7, false);
  EXPECT_EQ(connection.sync(60s).imported, 1);
}

TEST_F(ImportData, OrdersThatTheStoreCannotShowDelayNoOtherHoweverManyTheyAre) {
  // The oldest hundred, some within the overlap of the next import, and the newest.
  const auto first = store.add_orders(100, an_hour_ago(), 1s);
  const auto later = store.add_orders(20, an_hour_ago() + 2min, 1s);
  for (int i = 0; i < 100; ++i) store.break_order(first + i);
  store.break_order(later + 19);
  auto connection = connect(store);
  EXPECT_EQ(connection.sync(120s).counts(), "19 imported, 0 updated, 0 unchanged, 101 failed");
  EXPECT_EQ(connection.value("failures"), "0");
  const auto broken = store.add_orders(8, an_hour_ago() + 3min, 1s);
  for (int i = 0; i < 8; ++i) store.break_order(broken + i);
  const auto last = store.add_order({}, an_hour_ago() + 4min);
  const auto run = connection.sync(120s);
  EXPECT_EQ(run.imported, 1);
  EXPECT_EQ(connection.order(last, "status"), "processing");
  EXPECT_EQ(connection.value("failures"), "0");
}

TEST_F(ImportData, AStoreThatCanShowNoOrderFailsTheImportInsteadOfSettingAsideAll) {
  const auto first = store.add_orders(40, an_hour_ago(), 1s);
  for (int i = 0; i < 40; ++i) store.break_order(first + i);
  auto connection = connect(store);
  const auto run = connection.sync(60s);
  EXPECT_LE(run.failed, 5);
  ASSERT_FALSE(run.errors.empty());
  EXPECT_EQ(run.errors.at(run.errors.size() - 1).at("reason").as_string(),
            "The store cannot show it: The store answers 500.");
  EXPECT_EQ(connection.value("failures"), "1");
  store.break_order(first + 38, false);
  EXPECT_EQ(connection.sync(60s).imported, 1);
}

TEST_F(ImportData, ProductsThatTheStoreCannotShowDelayNoOtherHoweverManyTheyAre) {
  for (int i = 0; i < 20; ++i) {
    const auto id = store.add_product({{"name", "P" + std::to_string(i)}}, an_hour_ago() + i * 1s);
    store.break_product(id);
  }
  store.add_product({{"name", "Cup"}}, an_hour_ago() + 1min);
  auto connection = connect(store, {.sync_products = true});
  EXPECT_EQ(connection.sync(60s).failed, 20);
  EXPECT_EQ(product_names(), std::vector<std::string>{"Cup"});
}

TEST_F(ImportData, AProductThatTheStoreCannotShowIsNamedAndDelaysNoOther) {
  store.add_product({{"name", "Mug"}}, an_hour_ago());
  const auto plate = store.add_product({{"name", "Plate"}}, an_hour_ago() + 1s);
  store.break_product(plate);
  const auto shirt = store.add_product({{"name", "Shirt"}}, an_hour_ago() + 2s);
  store.add_variation(shirt);
  store.add_product({{"name", "Cup"}}, an_hour_ago() + 3s);
  store.fail(on(failing_with(500), "/variations"), always);
  auto connection = connect(store, {.sync_products = true});
  const auto run = connection.sync(60s);
  EXPECT_EQ(product_names(), (std::vector<std::string>{"Cup", "Mug"}));
  std::set<std::string> reasons;
  for (const auto& error : run.errors) reasons.insert(std::string(error.at("reason").as_string()));
  EXPECT_TRUE(reasons.contains("The product Plate: The store cannot show it: The store answers 500."));
  EXPECT_TRUE(reasons.contains("The product Shirt: Its variations cannot be read: The store answers 500."));
}

// Statuses

TEST_F(ImportData, ACancellationNeedsNothingButTheStatus) {
  const json::object changes[] = {
      without_data("cancelled"),
      {{"status", "refunded"}, {"line_items", json::array()}},
      {{"status", "cancelled"}, {"total", nullptr}},
      {{"status", "cancelled"}, {"currency", "POINTS"}},
      {{"status", "cancelled"}, {"billing", json::array()}, {"shipping", nullptr}}};
  auto connection = connect(store);
  for (const auto& change : changes) {
    const auto id = store.add_order();
    connection.sync();
    const auto city = connection.order(id, "delivery_city");
    store.change_order(id, change);
    const auto run = connection.sync();
    EXPECT_EQ(connection.order(id, "status"), "cancelled") << to_json(change);
    EXPECT_EQ(run.updated, 1);
    EXPECT_TRUE(run.errors.empty()) << to_json(run.errors);
    EXPECT_NE(connection.order(id, "items::text"), "[]") << "what was ordered is still known";
    EXPECT_EQ(connection.order(id, "delivery_city"), city);
    EXPECT_EQ(connection.failures(), 0);
  }
}

TEST_F(ImportData, AStatusMovesAlthoughTheRestIsSetAside) {
  const auto id = store.add_order({{"status", "on-hold"}});
  auto connection = connect(store);
  connection.sync();
  ASSERT_EQ(connection.order(id, "status"), "pending");
  store.change_order(id, without_data("processing"));
  auto run = connection.sync();
  EXPECT_EQ(connection.order(id, "status"), "processing");
  EXPECT_EQ(run.reason(), "It has no delivery address with street and city.");
  EXPECT_EQ(connection.failures(), 1);
  // Also while it is set aside, and although the store cannot show it at all.
  store.change_order(id, {{"status", "completed"}});
  store.break_order(id);
  run = connection.sync(60s);
  EXPECT_EQ(connection.order(id, "status"), "shipped");
  EXPECT_EQ(connection.failures(), 0) << "a shipped order takes no more changes";
}

TEST_F(ImportData, AStatusMovesAlthoughTheDatabaseRefusesTheRest) {
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  tenant.sql.exec("alter table orders add constraint no_haunted_notes check (notes <> 'haunted')");
  const AtExit lift([&] { tenant.sql.exec("alter table orders drop constraint no_haunted_notes"); });
  store.change_order(id, {{"status", "cancelled"}, {"customer_note", "haunted"}});
  connection.sync();
  EXPECT_EQ(connection.order(id, "status"), "cancelled");
}

TEST_F(ImportData, AnOrderInTheBinIsCancelled) {
  const auto id = store.add_order({}, an_hour_ago());
  const auto unknown = store.add_order({{"status", "trash"}});
  auto connection = connect(store);
  connection.sync();
  store.trash_order(id);
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "status"), "cancelled");
  EXPECT_EQ(connection.order(unknown, "guid"), "") << "an order that was never here is not missed";
  EXPECT_EQ(connection.failures(), 0);
}

TEST_F(ImportData, AnOrderThatTheStoreDeletedWhileItWasSetAsideIsCancelled) {
  const auto id = store.add_order({}, an_hour_ago());
  auto connection = connect(store);
  connection.sync();
  store.change_order(id, without_data("processing"));
  EXPECT_EQ(connection.sync().failed, 1);
  store.delete_order(id);
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "status"), "cancelled");
  EXPECT_EQ(connection.failures(), 0);
}

TEST_F(ImportData, AShippedOrderThatCannotBeReadIsNoFailure) {
  const auto id = store.add_order({{"status", "completed"}});
  auto connection = connect(store);
  connection.sync();
  store.change_order(id, without_data("completed"));
  EXPECT_TRUE(connection.sync().errors.empty());
  store.change_order(id, {{"status", "cancelled"}});
  EXPECT_EQ(connection.sync().reason(), "It was cancelled in the store, and is shipped here.");
  EXPECT_TRUE(connection.sync().errors.empty()) << "reported once";
}

// Texts

TEST_F(ImportData, LinesThatDifferOnlyByTheirMetaDataCanBeToldApart) {
  json::array lines;
  for (const auto* const size : {"S", "XL"}) {
    auto shirt = line(static_cast<std::int64_t>(lines.size()) + 1, "Shirt", 1);
    shirt["meta_data"] = json::array{json::object{
        {"id", 1}, {"key", "pa_size"}, {"value", size}, {"display_key", "Size"}, {"display_value", size}}};
    lines.push_back(std::move(shirt));
  }
  const auto id = store.add_order({{"line_items", lines}});
  auto connection = connect(store);
  connection.sync();
  EXPECT_EQ(items(connection, id), "1 Shirt (Size: S), 1 Shirt (Size: XL)");
}

TEST_F(ImportData, ATextThatIsNoAddressMakesNobodyOneCustomer) {
  auto connection = connect(store);
  for (const auto* const text : {"n/a", "-", "none", "no@", "+49 30 1234", "deleted@site.invalid"}) {
    const auto ann = store.add_order({{"billing", {{"first_name", "Ann"}, {"email", text}}}});
    const auto bob = store.add_order({{"billing", {{"first_name", "Bob"}, {"email", text}}}});
    connection.sync();
    EXPECT_NE(connection.order(ann, "customer_id"), connection.order(bob, "customer_id")) << text;
  }
  // An imported record can be saved again.
  const auto customers = tenant.sql.column("select guid from customers where business_id = $1", {tenant.id});
  EXPECT_EQ(customers.size(), 12U);
  for (const auto& guid : customers) {
    const auto customer = tenant.http.get("/api/v1/Customers/" + guid).body.at("data");
    EXPECT_EQ(tenant.http.put("/api/v1/Customers/" + guid, customer).status, 200) << to_json(customer);
  }
}

TEST_F(ImportData, ALongOrderCanBeSavedAgain) {
  const std::string text(3000, 'x');
  auto wide = line(1, text, 1);
  wide["sku"] = text;
  const auto id = store.add_order({{"number", text},
                                   {"customer_note", text},
                                   {"line_items", {wide}},
                                   {"billing", {{"first_name", text}, {"phone", text}, {"email", text}}},
                                   {"shipping", {{"address_1", text}, {"city", text}, {"phone", text}}}});
  auto connection = connect(store);
  EXPECT_TRUE(connection.sync().errors.empty());
  const auto guid = connection.order(id, "guid");
  const auto order = tenant.http.get("/api/v1/Orders/" + guid).body.at("data");
  const auto saved = tenant.http.put("/api/v1/Orders/" + guid, order);
  EXPECT_EQ(saved.status, 200) << saved.text;
}

TEST_F(ImportData, AnOrderOfManyLinesAndItsShipmentCanBeSavedAgain) {
  constexpr int lines = 1500;
  json::array many;
  for (int i = 1; i <= lines; ++i) many.push_back(line(i, "Mug " + std::to_string(i), 1));
  const auto id = store.add_order({{"line_items", many}});
  auto connection = connect(store);
  EXPECT_TRUE(connection.sync().errors.empty());
  const auto guid = connection.order(id, "guid");
  const auto order = tenant.http.get("/api/v1/Orders/" + guid).body.at("data");
  const auto saved = tenant.http.put("/api/v1/Orders/" + guid, order);
  EXPECT_EQ(saved.status, 200) << saved.text;
  json::array all_but_one;
  for (const auto& item : order.at("items").as_array()) all_but_one.push_back(item.at("guid"));
  all_but_one.pop_back();
  const auto made = tenant.http.post("/api/v1/Orders/" + guid + "/shipment", {{"itemIds", all_but_one}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto path = "/api/v1/shipments/" + text_at(made.body, "data.guid");
  const auto shipment = tenant.http.get(path).body.at("data");
  EXPECT_EQ(shipment.at("packages").as_array().size(), lines - 1U);
  const auto kept = tenant.http.put(path, shipment);
  EXPECT_EQ(kept.status, 200) << kept.text;
}

TEST_F(ImportData, ANoteIsAsLongAsTheApiAllows) {
  std::string note;
  for (int i = 0; i < 10'001; ++i) note += "é";
  const auto id = store.add_order({{"customer_note", note}});
  auto connection = connect(store);
  connection.sync();
  EXPECT_EQ(connection.order(id, "char_length(notes)"), "10000");
  const auto guid = connection.order(id, "guid");
  const auto order = tenant.http.get("/api/v1/Orders/" + guid).body.at("data");
  EXPECT_EQ(tenant.http.put("/api/v1/Orders/" + guid, order).status, 200);
}

TEST_F(ImportData, AnOrderThatTheApiWouldRefuseIsSetAside) {
  auto huge = line(1, "Mug", 100'000);
  huge["price"] = 99'999'999;
  const std::pair<json::object, std::string_view> orders[] = {
      {{{"currency", "EURO"}}, "Its currency is not an ISO 4217 code."},
      {{{"line_items", {huge}}}, "The sum of its items is not below 10^12."}};
  auto connection = connect(store);
  for (const auto& [fields, reason] : orders) {
    const auto id = store.add_order(fields);
    EXPECT_EQ(connection.sync().reason(), reason);
    EXPECT_EQ(connection.order(id, "guid"), "");
    store.delete_order(id);
    connection.sync();
  }
}

TEST_F(ImportData, AnOrderWithAnotherCurrencyThatIsHereFollowsItsStatus) {
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  store.change_order(id, {{"status", "completed"}, {"currency", "BTC"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(connection.order(id, "status"), "shipped");
  const auto other = store.add_order();
  connection.sync();
  store.change_order(other, {{"status", "cancelled"}, {"currency", "BTC"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(connection.order(other, "status"), "cancelled");
}

TEST_F(ImportData, AnAddressSharedByTwoPersonsIsNamed) {
  const auto email = [](const char* name) {
    return json::object{
        {"billing", {{"first_name", name}, {"last_name", ""}, {"email", "shop@example.com"}}}};
  };
  store.add_order(email("Ann"), an_hour_ago());
  const auto bob = store.add_order(email("Bob"), an_hour_ago() + 1s);
  auto connection = connect(store);
  const auto run = connection.sync();
  EXPECT_EQ(run.imported, 2);
  EXPECT_EQ(run.failed, 0);
  EXPECT_EQ(
      run.reason(),
      "Its buyer has the e-mail address of a customer with another name. The order is imported for that "
      "customer.");
  EXPECT_EQ(run.errors.at(0).at("externalId").as_string(), std::to_string(bob));
}

TEST_F(ImportData, JsonMayBeginWithAByteOrderMark) {
  for (const auto* const before :
       {"\ufeff", "\n \n", "<br />\n<b>Notice</b>:  x in <b>f</b> on line <b>1</b><br />\n"}) {
    Tenant business(world.waybill, "Marks " + Guid::random().to_string());
    WooCommerceSimulator marked;
    const auto id = marked.add_order();
    marked.fail(beginning_with(before), always);
    Connection connection(business.sql, business.id, world.waybill.secret_key_file(), marked, {});
    EXPECT_EQ(connection.sync().imported, 1) << before;
    EXPECT_EQ(connection.order(id, "order_number"), std::to_string(id));
  }
}

// Amounts

TEST_F(ImportData, AProductWithAPriceThatCannotBeReadIsNamed) {
  const auto mug = store.add_product({{"name", "Mug"}, {"sku", "MUG"}, {"price", "9.90"}}, an_hour_ago());
  store.add_product({{"name", "Tea"}, {"sku", "TEA"}, {"price", "7,50"}, {"regular_price", "8"}},
                    an_hour_ago() + 1s);
  auto connection = connect(store, {.sync_products = true});
  const auto prices = [&] {
    return tenant.sql.value(
        "select string_agg(name || '=' || coalesce(price::text, ''), ',' order by name) from products where "
        "business_id = $1",
        {tenant.id});
  };
  const auto run = connection.sync();
  EXPECT_EQ(run.reason(),
            "The product Tea: its price 7,50 is left out, because it is not an amount from 0 to 10^12.");
  EXPECT_EQ(prices(), "Mug=9.90,Tea=") << "the product itself is imported";
  EXPECT_TRUE(connection.sync().errors.empty()) << "named once";
  store.change_product(mug, {{"price", "ab 9,90"}});
  EXPECT_EQ(connection.sync().reason(),
            "The product Mug: its price ab 9,90 is left out, because it is not an amount from 0 to 10^12.");
  EXPECT_EQ(prices(), "Mug=9.90,Tea=") << "what cannot be read changes nothing";
}

TEST_F(ImportData, AnOrderIsImportedWithoutAShippingCostThatCannotBeRead) {
  const auto id = store.add_order(
      {{"shipping_lines", {{{"method_title", "Post"}, {"total", "4,90"}}}}, {"shipping_total", "4,90"}},
      an_hour_ago());
  auto connection = connect(store);
  const auto run = connection.sync();
  EXPECT_EQ(run.counts(), "1 imported, 0 updated, 0 unchanged, 0 failed");
  EXPECT_EQ(run.reason(), "Its shipping cost 4,90 is left out, because it is not an amount from 0 to 10^12.");
  EXPECT_EQ(connection.order(id, "coalesce(shipping_cost::text, 'none')"), "none");
}

// Unique keys

TEST_F(ImportData, OfTwoProductsWithOneSkuOneIsNamed) {
  const auto mug = store.add_product({{"name", "Mug"}, {"sku", "MUG"}}, an_hour_ago());
  const auto tasse = store.add_product({{"name", "Tasse"}, {"sku", "MUG"}}, an_hour_ago() + 1s);
  auto connection = connect(store, {.sync_products = true});
  const auto run = connection.sync();
  EXPECT_EQ(product_names(), std::vector<std::string>{"Mug"});
  EXPECT_EQ(
      run.reason(),
      "The product Tasse is left out: its SKU MUG is that of the product Mug, and SKUs are unique here.");
  EXPECT_EQ(run.errors.at(0).at("externalId").as_string(), std::to_string(tasse));
  EXPECT_TRUE(connection.sync().errors.empty()) << "named once";
  EXPECT_NE(mug, tasse);
}

TEST_F(ImportData, AProductThatWasLeftOutIsImportedOnceItHasItsOwnSku) {
  store.add_product({{"name", "Mug"}, {"sku", "MUG"}}, an_hour_ago());
  const auto tasse = store.add_product({{"name", "Tasse"}, {"sku", "MUG"}}, an_hour_ago() + 1s);
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  ASSERT_EQ(product_names(), std::vector<std::string>{"Mug"});
  store.change_product(tasse, {{"sku", "TASSE"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product_names(), (std::vector<std::string>{"Mug", "Tasse"}));
  // A product that takes the SKU of another one later keeps its own.
  store.change_product(tasse, {{"sku", "MUG"}, {"name", "Becher"}});
  const auto run = connection.sync();
  EXPECT_EQ(run.reason(),
            "The product Becher: the SKU MUG of the product is that of the product Mug. It is left out, "
            "because SKUs "
            "are unique here.");
  EXPECT_EQ(product_names(), (std::vector<std::string>{"Becher", "Mug"}));
  EXPECT_EQ(
      tenant.sql.value("select sku from products where business_id = $1 and name = 'Becher'", {tenant.id}),
      "TASSE");
}

TEST_F(ImportData, AProductThatWasLeftOutIsImportedOnceTheOtherOneGivesItsSkuUp) {
  const auto mug = store.add_product({{"name", "Mug"}, {"sku", "MUG"}}, an_hour_ago());
  store.add_product({{"name", "Tasse"}, {"sku", "MUG"}}, an_hour_ago() + 1s);
  auto connection = connect(store, {.sync_products = true});
  const auto guid_of = [&](const char* name) {
    return tenant.sql.value(
        "select guid from products where business_id = $1 and name = $2 and sku = 'MUG' and deleted_at is "
        "null",
        {tenant.id, name});
  };
  EXPECT_EQ(connection.sync().errors.size(), 1U);
  store.change_product(mug, {{"sku", "MUG-1"}});
  connection.sync();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product_names(), (std::vector<std::string>{"Mug", "Tasse"}));
  // Also once the other one is deleted here.
  store.add_product({{"name", "Becher"}, {"sku", "MUG"}});
  EXPECT_EQ(connection.sync().errors.size(), 1U);
  EXPECT_EQ(guid_of("Becher"), "");
  ASSERT_EQ(tenant.http.del("/api/v1/Products/" + guid_of("Tasse")).status, 200);
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_NE(guid_of("Becher"), "");
  store.forget_calls();
  connection.sync();
  for (const auto& call : store.calls()) {
    if (call.route.ends_with("v3/products"))
      EXPECT_TRUE(call.parameters.contains("modified_after")) << "all products are read again only once";
  }
}

TEST_F(ImportData, VariantsWithASkuInUseHaveNoneAndAreNamed) {
  store.add_product({{"name", "Mug"}, {"sku", "MUG"}}, an_hour_ago());
  const auto shirt = store.add_product({{"name", "Shirt"}, {"sku", "SHIRT"}}, an_hour_ago() + 1s);
  for (const auto& [name, sku] : {std::pair("Red", "MUG"), std::pair("Blue", "B"), std::pair("Navy", "B")}) {
    store.add_variation(
        shirt,
        {{"sku", sku}, {"attributes", json::array{json::object{{"name", "Color"}, {"option", name}}}}});
  }
  auto connection = connect(store, {.sync_products = true});
  const auto run = connection.sync();
  ASSERT_EQ(run.errors.size(), 2U) << to_json(run.errors);
  EXPECT_EQ(
      run.errors.at(0).at("reason").as_string(),
      "The product Shirt: the SKU MUG of its variant Red is that of the product Mug. It is left out, because "
      "SKUs are unique here.");
  EXPECT_EQ(tenant.sql.value(
                "select string_agg((v ->> 'name') || '=' || coalesce(v ->> 'sku', ''), ',') from products, "
                "jsonb_array_elements(variants) v where name = 'Shirt' and business_id = $1",
                {tenant.id}),
            "Red=,Blue=B,Navy=");
}

}  // namespace
}  // namespace waybill::tests
