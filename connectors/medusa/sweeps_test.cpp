#include "connectors/medusa/sweeps.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "connectors/awaited_test.hpp"

namespace waybill::connectors {
namespace {

using Query = std::multimap<std::string, std::string>;

Query query_of(const net::HttpRequest& request) {
  std::string text;
  for (std::size_t i = request.url.find('?') + 1; i < request.url.size(); ++i) {
    const bool is_encoded = request.url[i] == '%';
    text +=
        is_encoded ? static_cast<char>(std::stoi(request.url.substr(i + 1, 2), nullptr, 16)) : request.url[i];
    if (is_encoded) i += 2;
  }
  Query query;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '&');)
    query.emplace(part.substr(0, part.find('=')), part.substr(part.find('=') + 1));
  return query;
}
std::string value_of(const Query& query, const std::string& name) {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

/// A server with one order a minute, or two, that cannot show some of them whole.
class OddServer {
 public:
  OddServer(int orders, std::function<bool(int order)> cannot_show)
      : orders_(orders), cannot_show_(std::move(cannot_show)) {}

  static std::string id(int number) { return "order_" + std::to_string(100 + number); }
  static std::string time(int number) {
    return format_timestamp(*parse_timestamp("2026-07-01T10:00:00Z") + std::chrono::minutes(number / 2));
  }
  static json::object order(int number) {
    return {{"id", id(number)},
            {"display_id", number},
            {"status", number == 7 ? "canceled" : "pending"},
            {"payment_status", "captured"},
            {"fulfillment_status", "not_fulfilled"},
            {"currency_code", "eur"},
            {"total", 5},
            {"created_at", time(number)},
            {"updated_at", time(number)},
            {"items", json::array{{{"id", "i"}, {"title", "Tea"}, {"quantity", 1}, {"unit_price", 5}}}}};
  }

  net::HttpResponse answer(const net::HttpRequest& request) {
    if (++calls > 500) throw std::runtime_error("the sweep does not end");
    const auto query = query_of(request);
    net::HttpResponse response;
    response.status = 200;
    json::array orders;
    auto left_out = query.contains("offset") ? std::stoul(value_of(query, "offset")) : 0;
    for (int i = 0; i < orders_; ++i) {
      const int number = value_of(query, "order") == "-updated_at" ? orders_ - 1 - i : i;
      if (!matches(query, number) || (left_out > 0 && left_out-- > 0)) continue;
      if (orders.size() < std::stoul(value_of(query, "limit"))) orders.push_back(order(number));
    }
    const bool is_whole = value_of(query, "fields").find("payment_status") != std::string::npos;
    for (const auto& one : orders) {
      const int number = static_cast<int>(one.at("display_id").as_int64());
      if (is_whole && cannot_show_(number)) response.status = 500;
    }
    if (request.url.find("/admin/payments") != std::string::npos) return payments(query, orders);
    response.body = response.status == 500 ? "{}" : to_json(json::object{{"orders", orders}});
    if (orders.size() > most_whole) response.body.resize(response.body.size() / 2);
    return response;
  }

  struct Read {
    std::vector<std::string> numbers;
    std::vector<Unreadable> unreadable;
    std::string failure;
  };
  Read read(std::optional<Time> since = std::nullopt) {
    const auto send = [this](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      co_return answer(request);
    };
    MedusaApi api({"sk_1", "", "https://medusa.example"}, send, system_clock());
    const auto sweep = sweep_medusa_orders(api, since);
    std::map<std::string, int> numbers;
    Read read;
    try {
      while (const auto page = await(sweep->next())) {
        for (const auto& order : page->records) ++numbers[order.external_id];
        read.unreadable.insert(read.unreadable.end(), page->unreadable.begin(), page->unreadable.end());
      }
    } catch (const StoreError& error) {
      read.failure = error.what();
    }
    for (const auto& [number, times] : numbers) read.numbers.push_back(number);
    return read;
  }

  int calls = 0;
  std::size_t most_payments = 1000;  // on a page; the server cannot answer more
  std::size_t most_whole = 1000;     // orders of an answer that is not cut off

 private:
  /// One payment for each order.
  net::HttpResponse payments(const Query& query, const json::array& orders) const {
    net::HttpResponse response;
    response.status = std::stoul(value_of(query, "limit")) > most_payments ? 504 : 200;
    json::array list;
    for (const auto& one : orders) {
      list.push_back({{"id", "pay_" + std::string(one.at("id").as_string())},
                      {"updated_at", one.at("updated_at")},
                      {"payment_collection", {{"order", {{"id", one.at("id")}}}}}});
    }
    response.body = to_json(json::object{{"payments", list}});
    return response;
  }

  static bool matches(const Query& query, int number) {
    const auto from = value_of(query, "updated_at[$gte]");
    const auto before = value_of(query, "updated_at[$lt]");
    const auto after = value_of(query, "id[$gt]");
    const bool is_named = !query.contains("id[]") || std::ranges::any_of(query, [&](const auto& each) {
      return each.first == "id[]" && each.second == id(number);
    });
    return is_named && (from.empty() || time(number) >= from) && (before.empty() || time(number) < before) &&
           (after.empty() || id(number) > after);
  }

  int orders_;
  std::function<bool(int)> cannot_show_;
};

TEST(MedusaSweepOfOddServers, AnOrderThatTheServerCannotShowIsSetAsideAndDelaysNoOther) {
  OddServer server(40, [](int order) { return order == 7 || order == 20 || order == 21 || order == 39; });
  const auto read = server.read();
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.numbers.size(), 36U);
  ASSERT_EQ(read.unreadable.size(), 4U);
  EXPECT_EQ(read.unreadable[0].external_id, OddServer::id(7));
  EXPECT_EQ(read.unreadable[0].number, "7");
  EXPECT_EQ(read.unreadable[0].status, "cancelled");
  EXPECT_EQ(read.unreadable[0].reason, "The store cannot show it: The store answers 500.");
  EXPECT_EQ(read.unreadable[1].status, "") << "not known without its payments and items";
  EXPECT_LT(server.calls, 200);
}

TEST(MedusaSweepOfOddServers, PaymentsAreReadInSmallerPagesToo) {
  for (const std::size_t most : {3U, 50U}) {
    OddServer server(40, [](int) { return false; });
    server.most_payments = most;
    const auto read = server.read(parse_timestamp("2026-07-01T10:00:00Z"));
    EXPECT_EQ(read.failure, "") << most;
    EXPECT_EQ(read.numbers.size(), 40U) << most;
  }
}

TEST(MedusaSweepOfOddServers, PaymentsOfOneTimeThatExceedThePossiblePageFailTheImport) {
  OddServer server(40, [](int) { return false; });
  server.most_payments = 2;  // as many as have one time
  EXPECT_EQ(server.read(parse_timestamp("2026-07-01T10:00:00Z")).failure, "The store answers 504.");
  EXPECT_LT(server.calls, 10);
}

TEST(MedusaSweepOfOddServers, AServerWhoseLargeAnswersAreCutOffIsReadInSmallerPages) {
  OddServer server(40, [](int) { return false; });
  server.most_whole = 12;
  const auto read = server.read();
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.numbers.size(), 40U);
}

TEST(MedusaSweepOfOddServers, AServerThatCanShowNoOrderFailsTheImport) {
  OddServer server(40, [](int) { return true; });
  const auto read = server.read();
  EXPECT_EQ(read.failure, "The store cannot show it: The store answers 500.");
  EXPECT_EQ(read.unreadable.size(), 6U);
}

TEST(MedusaSweepOfOddServers, OrdersThatTheServerCannotShowDelayNoOtherHoweverManyTheyAre) {
  const auto oldest = [](int order) { return order < 30; };
  const auto newest = [](int order) { return order >= 10; };
  const auto all_but_one_of_the_newest = [](int order) { return order != 37; };
  const auto since = parse_timestamp("2026-07-01T10:06:00Z");
  for (const auto& [cannot_show, from, shown] :
       {std::tuple<std::function<bool(int)>, std::optional<Time>, std::size_t>{oldest, std::nullopt, 10U},
        {newest, std::nullopt, 10U},
        {newest, since, 0U},
        {all_but_one_of_the_newest, std::nullopt, 1U}}) {
    OddServer server(40, cannot_show);
    const auto read = server.read(from);
    EXPECT_EQ(read.failure, "");
    EXPECT_EQ(read.numbers.size(), shown);
    EXPECT_EQ(read.unreadable.size(), from ? 28U : 40U - shown);
  }
}

}  // namespace
}  // namespace waybill::connectors
