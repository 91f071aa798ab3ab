// Checks of a store, and imports of its orders and products.
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/medusa/sweeps.hpp"
#include "tests/connectors/medusa_fixture.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// All fields of an order that an import compares.
std::string content_of(const StoreOrder& order) {
  const auto text = [](const std::optional<std::string>& value) { return value.value_or("null") + "|"; };
  std::string all = order.external_id + "|" + order.number + "|" + order.status + "|" + order.total +
                    order.currency + "|" + text(order.customer_name) + text(order.customer_email) +
                    text(order.customer_phone) + text(order.delivery.street) + text(order.delivery.city) +
                    text(order.delivery.state) + text(order.delivery.postal_code) +
                    text(order.delivery.country) + text(order.notes) + format_timestamp(order.created_at) +
                    text(order.recipient.name) + text(order.shipping_method) + text(order.shipping_cost);
  for (const auto& item : order.items) {
    all += "|" + item.description + "|" + text(item.sku) + std::to_string(item.quantity) + text(item.price);
  }
  return all;
}

TEST_F(MedusaConnector, AcceptsAKeyAndDistinguishesARevokedKeyFromAWrongStore) {
  EXPECT_EQ(problem_of(open()->check(false)), std::nullopt);
  EXPECT_EQ(problem_of(open("sk_none", server().url())->check(false)), StoreProblem::credentials);

  const auto key = server().new_key();
  const auto store = open(key.token, server().url());
  EXPECT_EQ(problem_of(store->check(true)), std::nullopt);
  const auto order = server().order();
  server().revoke(key);
  std::string message;
  EXPECT_EQ(problem_of(store->check(false), &message), StoreProblem::credentials);
  EXPECT_EQ(problem_of(store->check(true)), StoreProblem::credentials);
  EXPECT_EQ(problem_of(store->orders_since(std::nullopt)->next()), StoreProblem::credentials);
  EXPECT_EQ(problem_of(store->send_tracking(parcel(order, "WB1"))), StoreProblem::credentials);
  EXPECT_EQ(message.find(key.token), std::string::npos);

  // Its pages for users are HTML.
  EXPECT_EQ(problem_of(open(server().key(), server().url() + "/shop")->check(false)),
            StoreProblem::wrong_store);
}

TEST_F(MedusaConnector, CheckingWritePermissionChangesNothing) {
  server().order();
  const std::string state =
      "select (select count(*) from fulfillment) || ' ' || (select max(updated_at) from \"order\")";
  auto session = server().database();
  const auto before = session.value(state);
  EXPECT_EQ(problem_of(open()->check(true)), std::nullopt);
  EXPECT_EQ(session.value(state), before);
}

TEST_F(MedusaConnector, ReportsOtherServersAtTheAddress) {
  struct Case {
    const char* case_name;
    RawServer::Reply reply;
    StoreProblem problem;
  };
  const std::vector<Case> cases = {
      {"a page", RawServer::answer(200, "<html>hello</html>"), StoreProblem::wrong_store},
      {"another API", RawServer::answer(200, R"({"shops": []})"), StoreProblem::wrong_store},
      {"a list", RawServer::answer(200, "[]"), StoreProblem::wrong_store},
      {"no such path", RawServer::answer(404, R"({"code":"rest_no_route"})"), StoreProblem::wrong_store},
      {"elsewhere", RawServer::answer(301, "", "Location: https://other.example/\r\n"),
       StoreProblem::wrong_store},
      {"a page before it", RawServer::answer(403, "<html>no</html>"), StoreProblem::credentials},
      {"a failure", RawServer::answer(500, R"({"type":"unknown_error"})"), StoreProblem::failing},
      {"a gateway", RawServer::answer(502, "<html>bad gateway</html>"), StoreProblem::failing},
      {"too much", RawServer::answer(429, "", "Retry-After: 7\r\n"), StoreProblem::busy},
      {"a cut answer",
       {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"stores\":", RawServer::Reply::Then::reset},
       StoreProblem::busy},
      {"silence", {"", RawServer::Reply::Then::hang}, StoreProblem::busy},
  };
  for (const auto& test_case : cases) {
    SCOPED_TRACE(test_case.case_name);
    RawServer other([&](const RawServer::Request&) { return test_case.reply; });
    const auto store =
        open("sk_1", "http://127.0.0.1:" + std::to_string(other.port()), std::chrono::seconds(1));
    EXPECT_EQ(problem_of(store->check(false)), test_case.problem);
  }
  EXPECT_EQ(problem_of(open("sk_1", "http://127.0.0.1:1")->check(false)), StoreProblem::unreachable);
}

TEST_F(MedusaConnector, ReadsAnOrderOfAGuestCompletely) {
  const auto id = server().order();
  const auto raw = server().read(id);
  const auto order = only(id);
  EXPECT_EQ(order.external_id, id);
  EXPECT_EQ(order.number, std::to_string(at(raw, "display_id").as_int64()));
  EXPECT_EQ(order.status, "pending");
  EXPECT_EQ(order.customer_name, "Jörg Müller");
  EXPECT_EQ(order.customer_email, "guest@x.example");
  EXPECT_EQ(order.customer_phone, "+49 221 1");
  EXPECT_EQ(order.recipient.name, "Jörg Müller");
  EXPECT_EQ(order.recipient.phone, "+49 221 1");
  EXPECT_EQ(order.shipping_method, "parcel");
  EXPECT_EQ(order.shipping_cost, "4.9");
  EXPECT_EQ(order.delivery.street, "Weg 1, c/o Maier");
  EXPECT_EQ(order.delivery.city, "Köln");
  EXPECT_EQ(order.delivery.state, "NW");
  EXPECT_EQ(order.delivery.postal_code, "50667");
  EXPECT_EQ(order.delivery.country, "DE");
  EXPECT_EQ(order.total, "48.38");
  EXPECT_EQ(order.currency, "EUR");
  EXPECT_EQ(format_timestamp(order.changed_at), text_at(raw, "updated_at"));
  std::vector<std::string> items;
  for (const auto& item : order.items) {
    items.push_back(std::to_string(item.quantity) + " " + item.description + " " + item.sku.value_or("none") +
                    " " + item.price.value_or("none"));
  }
  EXPECT_THAT(items, UnorderedElementsAre("2 Shirt \"\" - M SH-M 19.99", "1 Gift \"\" none 3.5"));
}

TEST_F(MedusaConnector, ReadsAGiftWithItsRecipientAndItsBuyer) {
  const json::object buyer{{"first_name", "Ada"},  {"last_name", "Lovelace"}, {"address_1", "Platz 1"},
                           {"city", "Bonn"},       {"postal_code", "53111"},  {"country_code", "de"},
                           {"phone", "+49 228 1"}, {"company", "Engines"}};
  const json::object recipient{{"first_name", "Grace"}, {"last_name", "Hopper"},  {"address_1", "Weg 2"},
                               {"city", "Ulm"},         {"postal_code", "89073"}, {"country_code", "de"},
                               {"phone", "+49 731 1"},  {"company", "Navy"}};
  const auto id = server().order({{"billing_address", buyer}, {"shipping_address", recipient}});
  const auto order = only(id);
  EXPECT_EQ(order.customer_name, "Ada Lovelace");
  EXPECT_EQ(order.customer_company, "Engines");
  EXPECT_EQ(order.customer_phone, "+49 228 1");
  EXPECT_EQ(order.recipient.name, "Grace Hopper");
  EXPECT_EQ(order.recipient.company, "Navy");
  EXPECT_EQ(order.recipient.phone, "+49 731 1");
  EXPECT_EQ(order.delivery.city, "Ulm");
}

TEST_F(MedusaConnector, KeepsAmountsExact) {
  const json::array items{json::object{{"title", "Screw"}, {"quantity", 3}, {"unit_price", 0.1}},
                          json::object{{"title", "Nut"}, {"quantity", 1}, {"unit_price", 12345678.91}}};
  const auto order = only(server().order({{"items", items}, {"shipping_methods", json::array()}}));
  EXPECT_EQ(order.total, "12345679.21");
  std::map<std::string, std::string> prices;
  for (const auto& item : order.items) prices[item.description] = item.price.value();
  EXPECT_EQ(prices["Screw"], "0.1");
  EXPECT_EQ(prices["Nut"], "12345678.91");
}

TEST_F(MedusaConnector, ReadsAnUnchangedOrderWithTheSameContentEachTime) {
  json::array items;
  for (int i = 0; i < 12; ++i) {
    items.push_back({{"title", "Line " + std::to_string(i)}, {"quantity", i + 1}, {"unit_price", i + 0.25}});
  }
  const auto id = server().order({{"items", items}});
  const auto first = content_of(only(id));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(content_of(only(id)), first);
  // A vacuum or an update of rows changes the order in which the database returns them.
  server().database().exec("update order_item set metadata = '{}' where order_id = '" + id +
                           "' and quantity > 6");
  EXPECT_EQ(content_of(only(id)), first);
}

TEST_F(MedusaConnector, FollowsAnOrderThroughItsStatuses) {
  const auto id = server().order();
  const auto status = [&] { return only(id).status; };
  EXPECT_EQ(status(), "pending");
  server().capture(id);
  EXPECT_EQ(status(), "processing");
  const auto first = server().fulfill(id, 0);
  EXPECT_EQ(status(), "ready");
  const auto second = server().fulfill(id, 1);
  EXPECT_EQ(status(), "ready");
  server().ship(id, first);
  EXPECT_EQ(status(), "shipped");
  server().ship(id, second);
  EXPECT_EQ(status(), "shipped");
  const auto deliver = [&](const std::string& fulfillment) {
    server().post("/admin/orders/" + id + "/fulfillments/" + fulfillment + "/mark-as-delivered");
  };
  deliver(first);
  EXPECT_EQ(status(), "shipped");
  deliver(second);
  EXPECT_EQ(status(), "delivered");
  server().post("/admin/orders/" + id + "/complete");
  server().post("/admin/orders/" + id + "/archive");
  EXPECT_EQ(status(), "delivered");
}

TEST_F(MedusaConnector, RecognizesOrdersThatMustNotBePacked) {
  const auto canceled = server().order();
  server().post("/admin/orders/" + canceled + "/cancel");
  EXPECT_EQ(only(canceled).status, "cancelled");

  const auto refunded = server().order();
  server().post("/admin/payments/" + server().capture(refunded) + "/refund");
  EXPECT_EQ(only(refunded).status, "cancelled");

  const auto done = server().order();
  server().capture(done);
  server().post("/admin/orders/" + done + "/complete");
  EXPECT_EQ(only(done).status, "shipped");
}

TEST_F(MedusaConnector, OmitsDraftsAndUnknownOrders) {
  const auto since = now();
  const auto draft = server().draft();
  const auto order = server().order();
  EXPECT_THAT(changed_orders(since), ElementsAre(order));
  EXPECT_THAT(await(open()->order(draft)).records, IsEmpty());
  EXPECT_THAT(await(open()->order(draft)).unreadable, IsEmpty());
  EXPECT_THAT(await(open()->order("order_none")).records, IsEmpty());
  EXPECT_THAT(await(open()->order("../stores")).records, IsEmpty());
}

TEST_F(MedusaConnector, FindsACaptureThatDoesNotChangeTheOrderTime) {
  const auto id = server().order();
  const auto before = only(id);
  const auto since = now();
  EXPECT_THAT(changed_orders(since), IsEmpty());
  server().capture(id);
  EXPECT_EQ(only(id).changed_at, before.changed_at);
  const auto store = open();
  const auto sweep = store->orders_since(since);
  const auto found = all_of(*sweep);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].external_id, id);
  EXPECT_EQ(found[0].status, "processing");
}

TEST_F(MedusaConnector, LosesNoOrderThatChangesDuringTheSweep) {
  const auto since = now();
  std::vector<std::string> orders;
  for (int i = 0; i < 7; ++i) orders.push_back(server().order());
  MedusaApi api({server().key(), "", server().url()}, sender(), system_clock());
  const auto sweep = sweep_medusa_orders(api, since, {.full = 2, .light = 2});
  std::map<std::string, Time> seen;
  std::size_t next = 0;
  while (const auto page = await(sweep->next())) {
    for (const auto& order : page->records) seen[order.external_id] = order.changed_at;
    if (next < 3)
      touch(orders[next++]);  // moves it behind all other orders, each of which moves one place forward
  }
  ASSERT_EQ(next, 3U);
  EXPECT_EQ(seen.size(), orders.size());
  for (const auto& id : orders) EXPECT_EQ(seen[id], only(id).changed_at) << id;
}

TEST_F(MedusaConnector, ReadsAnyNumberOfOrdersWithTheSameTime) {
  const auto since = now();
  std::set<std::string> orders;
  for (int i = 0; i < 7; ++i) orders.insert(server().order());
  const auto later = server().order();
  std::string ids;
  for (const auto& id : orders) ids += (ids.empty() ? "'" : ",'") + id + "'";
  // Finer than the milliseconds of the API.
  server().database().exec(
      "update \"order\" set updated_at = (select date_trunc('milliseconds', min(updated_at)) + "
      "interval '0.4 ms' from \"order\" where id in (" +
      ids + ")) where id in (" + ids + ")");
  orders.insert(later);
  for (const std::size_t page : {1U, 2U, 7U, 8U}) {
    SCOPED_TRACE(page);
    MedusaApi api({server().key(), "", server().url()}, sender(), system_clock());
    const auto sweep = sweep_medusa_orders(api, since, {.full = page, .light = 2});
    EXPECT_EQ(ids_of(all_of(*sweep)), orders);
  }
}

TEST_F(MedusaConnector, StopsBeforeChangesThatMayStillBeCommitted) {
  const auto since = now() - std::chrono::hours(1);
  const auto id = server().order();
  const auto store = open();
  const auto sweep = store->orders_since(since);
  std::optional<Time> reached;
  while (const auto page = await(sweep->next())) {
    if (!page->reached) continue;
    if (reached) EXPECT_GE(*page->reached, *reached);
    reached = page->reached;
  }
  ASSERT_TRUE(reached);
  EXPECT_GT(*reached, since);
  // Simulates a transaction that began before the sweep and commits only now.
  server().database().exec("update \"order\" set updated_at = now() - interval '20 s' where id = '" + id +
                           "'");
  EXPECT_TRUE(changed_orders(reached).contains(id));
  // Nothing is new: the position stays instead of moving back.
  const auto again = open();
  const auto idle = again->orders_since(now());
  while (const auto page = await(idle->next())) EXPECT_FALSE(page->reached);
}

TEST_F(MedusaConnector, RequestsAPageAgainAfterEachFault) {
  const auto since = now();
  std::set<std::string> orders;
  for (int i = 0; i < 5; ++i) orders.insert(server().order());
  std::atomic<int> calls = 0;  // each connection has a thread
  Proxy proxy(server().port(),
              [&](const Proxy::Request&, const auto& answer) -> std::optional<RawServer::Reply> {
                const int call = ++calls;
                switch (call % 4) {
                  case 1:
                    return RawServer::answer(500, "{}");
                  case 2:
                    return Proxy::cut(answer());
                  case 3:
                    if (call < 4) return RawServer::Reply{"", RawServer::Reply::Then::hang};
                    return RawServer::answer(503, "<html>closed</html>", "Retry-After: 0.5\r\n");
                  default:
                    return std::nullopt;
                }
              });
  MedusaApi api({server().key(), "", proxy.url()}, sender(std::chrono::seconds(3)), system_clock());
  const auto sweep = sweep_medusa_orders(api, since, {.full = 2, .light = 2});
  std::set<std::string> seen;
  int faults = 0;
  while (true) {
    try {
      const auto page = await(sweep->next());
      if (!page) break;
      for (const auto& order : page->records) seen.insert(order.external_id);
    } catch (const StoreError& error) {
      ASSERT_TRUE(error.problem() == StoreProblem::busy || error.problem() == StoreProblem::failing)
          << error.what();
      ASSERT_LT(++faults, 100);
    }
  }
  EXPECT_EQ(seen, orders);
  EXPECT_GE(faults, 3) << "others are met by a smaller page";
}

TEST_F(MedusaConnector, RequestsFewerOrdersWhenAResponseIsTooLarge) {
  const auto since = now();
  std::set<std::string> orders;
  for (int i = 0; i < 3; ++i) orders.insert(server().order());
  const std::string large(33UL * 1024 * 1024, ' ');
  std::vector<std::string> limits;
  Proxy proxy(server().port(),
              [&](const Proxy::Request& request, const auto&) -> std::optional<RawServer::Reply> {
                if (!request.target.starts_with("/admin/orders")) return std::nullopt;
                const auto limit = request.target.substr(request.target.find("limit=") + 6, 1);
                limits.push_back(limit);
                return limit > "2" ? std::optional(RawServer::answer(200, large)) : std::nullopt;
              });
  MedusaApi api({server().key(), "", proxy.url()}, sender(), system_clock());
  const auto sweep = sweep_medusa_orders(api, since, {.full = 8, .light = 8});
  EXPECT_EQ(ids_of(all_of(*sweep)), orders);
  limits.resize(2);
  EXPECT_THAT(limits, ElementsAre("8", "2"));
}

TEST_F(MedusaConnector, ReadsAnyNumberOfVariantsWithTheSameTime) {
  const auto since = now();
  server().database().exec("update product_variant set updated_at = now()");
  MedusaApi api({server().key(), "", server().url()}, sender(), system_clock());
  const auto sweep = sweep_medusa_products(api, since, {.full = 1, .light = 1});
  EXPECT_TRUE(ids_of(all_of(*sweep)).contains(server().product()));
}

TEST_F(MedusaConnector, ReadsProductsWithPricesInTheCurrencyOfTheStore) {
  const auto since = now();
  const json::object only_variant = {
      {"title", "Default variant"},
      {"sku", "MUG"},
      {"weight", 1250},
      {"barcode", "4006381333931"},
      {"manage_inventory", false},
      {"options", {{"Kind", "One"}}},
      {"prices", json::array{json::object{{"currency_code", "eur"}, {"amount", 7.25}}}}};
  const auto mug =
      text_at(server().post(
                  "/admin/products",
                  {{"title", "Mug & more"},
                   {"description", "Line 1\nLine 2"},
                   {"length", 10},
                   {"options", json::array{json::object{{"title", "Kind"}, {"values", json::array{"One"}}}}},
                   {"shipping_profile_id", server().shipping_profile()},
                   {"variants", json::array{only_variant}}}),
              "product.id");
  const auto store = open();
  const auto sweep = store->products_since(since);
  const auto found = all_of(*sweep);
  ASSERT_FALSE(found.empty());
  const auto& product = found.back();
  EXPECT_EQ(product.external_id, mug);
  EXPECT_EQ(product.name, "Mug & more");
  EXPECT_EQ(product.description, "Line 1\nLine 2");
  EXPECT_EQ(product.sku, "MUG");
  EXPECT_EQ(product.price, "7.25");
  EXPECT_EQ(product.barcode, "4006381333931");
  EXPECT_EQ(product.weight, "1.25");
  EXPECT_EQ(product.length, "10");
  EXPECT_EQ(product.width, std::nullopt);
  EXPECT_THAT(product.variants, IsEmpty());

  const auto first_sweep = store->products_since(std::nullopt);
  const auto all = all_of(*first_sweep);
  EXPECT_TRUE(ids_of(all).contains(mug));
  const auto shirt = std::ranges::find(all, server().product(), &StoreProduct::external_id);
  ASSERT_NE(shirt, all.end());
  EXPECT_EQ(shirt->name, "Shirt \"\"");
  EXPECT_EQ(shirt->weight, "0.25");
  ASSERT_EQ(shirt->variants.size(), 2U);
  std::map<std::string, std::string> prices;
  for (const auto& variant : shirt->variants) prices[variant.sku.value()] = variant.price.value();
  EXPECT_EQ(prices["SH-M"], "19.99");
  EXPECT_EQ(prices["SH-L"], "21");
}

TEST_F(MedusaConnector, ReadsAProductByItsIdUntilItIsGone) {
  const auto store = open();
  const auto read = [&](const std::string& id) { return await(store->product(id)); };
  const auto shirt = read(server().product());
  ASSERT_EQ(shirt.records.size(), 1U);
  EXPECT_EQ(shirt.records[0].external_id, server().product());
  std::map<std::string, std::string> prices;
  for (const auto& variant : shirt.records[0].variants) prices[variant.sku.value()] = variant.price.value();
  EXPECT_EQ(prices["SH-M"], "19.99");
  const json::object only_variant = {
      {"title", "Default variant"},
      {"sku", "BRIEF"},
      {"manage_inventory", false},
      {"options", {{"Kind", "One"}}},
      {"prices", json::array{json::object{{"currency_code", "eur"}, {"amount", 1}}}}};
  const auto mug =
      text_at(server().post(
                  "/admin/products",
                  {{"title", "Brief"},
                   {"options", json::array{json::object{{"title", "Kind"}, {"values", json::array{"One"}}}}},
                   {"shipping_profile_id", server().shipping_profile()},
                   {"variants", json::array{only_variant}}}),
              "product.id");
  EXPECT_EQ(read(mug).records.size(), 1U);
  ASSERT_EQ(server().request("DELETE", "/admin/products/" + mug).status, 200);
  const auto gone = read(mug);
  EXPECT_THAT(gone.records, IsEmpty());
  EXPECT_THAT(gone.unreadable, IsEmpty());
}

TEST_F(MedusaConnector, FindsAVariantChangeThatDoesNotChangeTheProductTime) {
  const auto store = open();
  const auto product = [&](Time since) {
    const auto sweep = store->products_since(since);
    return all_of(*sweep);
  };
  const auto since = now();
  EXPECT_THAT(product(since), IsEmpty());
  const std::string variant = "/admin/products/" + server().product() + "/variants/" + server().small();
  server().post(variant, {{"weight", 300}});
  const auto found = product(since);
  ASSERT_EQ(found.size(), 1U);
  const auto changed = std::ranges::find(found[0].variants, "SH-M", &StoreVariant::sku);
  ASSERT_NE(changed, found[0].variants.end());
  EXPECT_EQ(changed->weight, "0.3");
}

}  // namespace
}  // namespace waybill::connectors
