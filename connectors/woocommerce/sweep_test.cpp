#include "connectors/woocommerce/sweep.hpp"

#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "connectors/awaited_test.hpp"
#include "connectors/woocommerce/orders.hpp"

namespace waybill::connectors {
namespace {

/// The failure of a sweep over a store that answers each request for its list so.
std::string failure_of(const std::function<net::HttpResponse(int call)>& answer) {
  int calls = 0;
  const auto send = [&](net::HttpRequest) -> asio::awaitable<net::HttpResponse> {
    if (++calls > 20'000) throw std::runtime_error("the sweep does not end");
    co_return answer(calls);
  };
  WooClient client({"ck_1", "cs_1", "https://shop.example"}, send, system_clock());
  PageSize size(WooCursor::page_size);
  const auto read = [](const json::value& row, StorePage<StoreOrder>& page) -> asio::awaitable<void> {
    woo::read_order(row, page);
    co_return;
  };
  WooSweep<StoreOrder> sweep(
      client, {.route = "wc/v3/orders", .parameters = {}, .fields = "id", .state_fields = "id"},
      *parse_timestamp("2026-07-01T10:00:00Z"), size, read, woo::set_aside_order);
  try {
    while (await(sweep.next())) {
    }
  } catch (const StoreError& error) {
    return error.what();
  }
  return {};
}

TEST(WooSweepOfOddStores, AListThatNeverEndsFailsTheImport) {
  const auto listing = [](std::string body, std::string pages, std::string total) {
    net::HttpResponse response;
    response.status = 200;
    response.body = std::move(body);
    response.headers = {{"x-wp-totalpages", std::move(pages)}, {"x-wp-total", std::move(total)}};
    return response;
  };
  EXPECT_EQ(failure_of([&](int) { return listing("[]", "18446744073709551615", "0"); }),
            "The store's list does not end: 2000 pages brought nothing new.");
  const std::string order =
      R"([{"id": 7, "date_modified_gmt": "2026-07-01T10:00:00", "status": "processing"}])";
  EXPECT_EQ(failure_of([&](int call) { return listing(order, "2", std::to_string(call)); }),
            "The store's list does not end: 2000 pages brought nothing new.")
      << "whose number of orders never stands still";
  EXPECT_EQ(failure_of([&](int) { return listing("[]", "0", "0"); }), "");
}

}  // namespace
}  // namespace waybill::connectors
