#include "connectors/shopify/sweep.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "connectors/awaited_test.hpp"

namespace waybill::connectors {
namespace {

json::object call_in(const net::HttpRequest& request) { return json::parse(request.body).as_object(); }
bool is_operation(const json::object& call, std::string_view name) {
  return call.at("query").as_string().subview(0).starts_with("query " + std::string(name) + "(");
}

json::value answer_of(std::string_view root, json::array nodes, bool more, std::string_view cursor) {
  return {{"data",
           {{root,
             {{"nodes", std::move(nodes)}, {"pageInfo", {{"hasNextPage", more}, {"endCursor", cursor}}}}}}}};
}

/// A shop with one order a minute, numbered from 0.
class OddShop {
 public:
  using Odd = std::function<std::optional<json::value>(const json::object& call)>;

  explicit OddShop(int orders, Odd odd = {}) : orders_(orders), odd_(std::move(odd)) {}

  static std::string time(int order) {
    return format_timestamp(*parse_timestamp("2026-07-01T10:00:00Z") + std::chrono::minutes(order));
  }
  static json::object order(int number) {
    const json::object line{{"title", "Tea"},
                            {"quantity", 1},
                            {"currentQuantity", 1},
                            {"originalUnitPriceSet", {{"shopMoney", {{"amount", "1.00"}}}}}};
    return {{"id", "gid://shopify/Order/" + std::to_string(100 + number)},
            {"name", "#" + std::to_string(number)},
            {"createdAt", time(number)},
            {"updatedAt", time(number)},
            {"displayFinancialStatus", "PAID"},
            {"displayFulfillmentStatus", "UNFULFILLED"},
            {"currentTotalPriceSet", {{"shopMoney", {{"amount", "1.00"}, {"currencyCode", "EUR"}}}}},
            {"lineItems",
             {{"nodes", json::array{line}}, {"pageInfo", {{"hasNextPage", false}, {"endCursor", nullptr}}}}}};
  }

  static bool is_reversed(const json::object& call) {
    const auto* const reverse = call.at("variables").as_object().if_contains("reverse");
    return reverse != nullptr && reverse->as_bool();
  }
  /// The orders that a query of the list asks for.
  std::vector<int> asked(const json::object& call) const {
    const auto& variables = call.at("variables").as_object();
    const auto* const query = variables.at("query").if_string();
    const std::string from = query == nullptr ? "" : std::string(query->subview(14, 20));
    const auto* const after = variables.at("after").if_string();
    std::vector<int> numbers;
    if (is_reversed(call)) {
      for (int i = after == nullptr ? orders_ - 1 : std::stoi(std::string(*after)) - 1; i >= 0; --i)
        if (numbers.size() < variables.at("first").to_number<std::size_t>()) numbers.push_back(i);
      return numbers;
    }
    for (int i = after == nullptr ? 0 : std::stoi(std::string(*after)) + 1; i < orders_; ++i) {
      const bool is_full = numbers.size() >= variables.at("first").to_number<std::size_t>();
      if (time(i).substr(0, 19) + "Z" >= from && !is_full) numbers.push_back(i);
    }
    return numbers;
  }
  json::value list(const json::object& call) const {
    json::array nodes;
    const auto numbers = asked(call);
    for (const int number : numbers) nodes.push_back(order(number));
    const int last = numbers.empty() ? orders_ : numbers.back();
    const bool has_more = is_reversed(call) ? last > 0 : last < orders_ - 1;
    return answer_of("orders", std::move(nodes), has_more, std::to_string(last));
  }

  struct Read {
    std::vector<std::string> numbers;
    std::vector<Unreadable> unreadable;
    std::string failure;
    int calls = 0;
  };
  Read read() {
    Read read;
    const auto send = [&](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      const auto call = call_in(request);
      if (++read.calls > 500) throw std::runtime_error("the sweep does not end");
      auto answer = odd_ ? odd_(call) : std::nullopt;
      net::HttpResponse response;
      response.status = answer && answer->is_int64() ? static_cast<int>(answer->get_int64()) : 200;
      const bool is_text = answer && answer->is_string();
      response.body = is_text ? std::string(answer->get_string()) : to_json(answer ? *answer : list(call));
      co_return response;
    };
    auto api = std::make_shared<ShopifyApi>(StoreCredentials{"", "shpat_1", "https://a.myshopify.com"}, send,
                                            system_clock(), "2026-07");
    const auto sweep = shopify_orders(api, std::nullopt);
    try {
      while (const auto page = await(sweep->next())) {
        for (const auto& order : page->records) read.numbers.push_back(order.number);
        read.unreadable.insert(read.unreadable.end(), page->unreadable.begin(), page->unreadable.end());
      }
    } catch (const StoreError& error) {
      read.failure = error.what();
    }
    return read;
  }

 private:
  int orders_;
  Odd odd_;
};

bool has(const std::vector<int>& numbers, int number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

TEST(ShopifySweepOfOddStores, AnOrderThatTheStoreCannotShowIsSetAsideAndDelaysNoOther) {
  const json::value partly = json::parse(
      R"({"data":{"orders":null},"errors":[{"message":"Something broke","path":["orders","nodes",3,"lineItems"],
          "extensions":{"code":"BAD_THING"}}]})");
  const json::value internal = json::parse(
      R"({"data":null,"errors":[{"message":"Internal","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]})");
  for (const auto& failure : {json::value(500), json::value(502), partly, internal}) {
    OddShop shop(40);
    OddShop broken(40, [&](const json::object& call) -> std::optional<json::value> {
      if (!is_operation(call, "WaybillOrders") || !has(shop.asked(call), 7)) return std::nullopt;
      return failure;
    });
    const auto read = broken.read();
    EXPECT_EQ(read.failure, "") << to_json(failure);
    EXPECT_EQ(read.numbers.size(), 39U) << to_json(failure);
    ASSERT_EQ(read.unreadable.size(), 1U) << to_json(failure);
    EXPECT_EQ(read.unreadable[0].external_id, "107");
    EXPECT_EQ(read.unreadable[0].number, "#7");
    EXPECT_EQ(read.unreadable[0].status, "processing");
    EXPECT_TRUE(read.unreadable[0].reason.starts_with("The store cannot show it: "))
        << read.unreadable[0].reason;
    EXPECT_LT(read.calls, 60);
  }
}

TEST(ShopifySweepOfOddStores, AStoreThatCanShowNoOrderFailsTheImport) {
  OddShop shop(40, [](const json::object& call) -> std::optional<json::value> {
    if (is_operation(call, "WaybillOrders")) return 500;
    return std::nullopt;
  });
  const auto read = shop.read();
  EXPECT_EQ(read.failure, "The store cannot show it: The store answers 500.");
  EXPECT_LE(read.unreadable.size(), 5U);
}

TEST(ShopifySweepOfOddStores, OrdersThatTheStoreCannotShowDelayNoOtherHoweverManyTheyAre) {
  const std::vector<std::function<bool(int)>> kinds = {
      [](int order) { return order < 30; }, [](int order) { return order >= 10; },
      [](int order) { return order != 37; }, [](int order) { return order >= 12 && order < 24; }};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    OddShop plain(40);
    OddShop shop(40, [&](const json::object& call) -> std::optional<json::value> {
      if (!is_operation(call, "WaybillOrders") || !std::ranges::any_of(plain.asked(call), kinds[i]))
        return std::nullopt;
      return 500;
    });
    const auto read = shop.read();
    EXPECT_EQ(read.failure, "") << i;
    std::size_t unreadable = 0;
    for (int order = 0; order < 40; ++order) unreadable += kinds[i](order) ? 1U : 0U;
    EXPECT_EQ(read.unreadable.size(), unreadable) << i;
    EXPECT_EQ(read.numbers.size(), 40 - unreadable) << i;
  }
}

TEST(ShopifySweepOfOddStores, AStoreWhoseLargeAnswersAreCutOffIsReadInSmallerPages) {
  OddShop plain(40);
  OddShop shop(40, [&](const json::object& call) -> std::optional<json::value> {
    const auto whole = to_json(plain.list(call));
    if (plain.asked(call).size() <= 10) return std::nullopt;
    return json::value(whole.substr(0, whole.size() / 2));
  });
  const auto read = shop.read();
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.numbers.size(), 40U);
}

TEST(ShopifySweepOfOddStores, APageOfHtmlEndsTheImportAtOnce) {
  OddShop shop(40, [](const json::object&) { return json::value("<html>Closed</html>"); });
  const auto read = shop.read();
  EXPECT_TRUE(read.failure.ends_with("without JSON.")) << read.failure;
  EXPECT_EQ(read.calls, 1);
}

TEST(ShopifySweepOfOddStores, ItemsThatTheStoreCannotShowSetTheirOrderAside) {
  OddShop plain(3);
  const json::object more{{"hasNextPage", true}, {"endCursor", "1"}};
  const json::object endless{{"lineItems", {{"nodes", {nullptr}}, {"pageInfo", more}}}};
  for (const auto& failure : {json::value(500), json::value({{"data", {{"order", endless}}}})}) {
    OddShop shop(3, [&](const json::object& call) -> std::optional<json::value> {
      if (is_operation(call, "WaybillOrderItems")) return failure;
      auto answer = plain.list(call);
      for (auto& node : answer.at("data").at("orders").at("nodes").as_array())
        if (node.at("name") == "#1") node.at("lineItems").at("pageInfo") = more;
      return answer;
    });
    const auto read = shop.read();
    EXPECT_EQ(read.failure, "");
    EXPECT_EQ(read.numbers, (std::vector<std::string>{"#0", "#2"})) << to_json(failure);
    ASSERT_EQ(read.unreadable.size(), 1U);
    EXPECT_EQ(read.unreadable[0].external_id, "101");
    EXPECT_TRUE(read.unreadable[0].reason.starts_with("The store cannot show its lineItems: "));
  }
}

TEST(ShopifySweepOfOddStores, AListThatNeverEndsFailsTheImport) {
  OddShop plain(3);
  for (const int period : {1, 2, 3}) {
    int calls = 0;
    OddShop shop(3, [&](const json::object&) -> std::optional<json::value> {
      return answer_of("orders", {OddShop::order(1)}, true, std::to_string(++calls % period));
    });
    const auto read = shop.read();
    EXPECT_TRUE(read.failure.starts_with("The store's list does not end")) << read.failure;
    EXPECT_LT(read.calls, 20);
  }
}

TEST(ShopifySweepOfOddStores, OddValuesGiveOrdersOrReasons) {
  OddShop plain(3);
  const std::vector<json::value> values = {
      nullptr,       "", "x", -1, 1e300, 18446744073709551615ULL, true, json::array{}, json::array{nullptr},
      json::object{}};
  for (const auto& odd : values) {
    for (const auto* const name :
         {"id", "name", "createdAt", "updatedAt", "displayFinancialStatus", "displayFulfillmentStatus",
          "currentTotalPriceSet", "lineItems", "shippingAddress", "billingAddress", "customer",
          "fulfillments", "shippingLine", "cancelledAt", "note", "test"}) {
      OddShop shop(3, [&](const json::object& call) {
        auto answer = plain.list(call);
        for (auto& node : answer.at("data").at("orders").at("nodes").as_array())
          if (node.at("name") == "#1") node.as_object()[name] = odd;
        return std::optional(answer);
      });
      const auto read = shop.read();
      EXPECT_EQ(read.failure, "") << name << " " << to_json(odd);
      const auto found = read.numbers.size() + read.unreadable.size();
      const bool is_test_order = std::string_view(name) == "test" && odd == json::value(true);
      EXPECT_EQ(found, is_test_order ? 2U : 3U) << name << " " << to_json(odd);
    }
  }
}

}  // namespace
}  // namespace waybill::connectors
