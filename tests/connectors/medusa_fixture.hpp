#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/medusa/medusa.hpp"
#include "net/http/async_http.hpp"
#include "tests/connectors/medusa_server.hpp"
#include "tests/harness/shared.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::connectors {

using tests::at;
using tests::MedusaServer;
using tests::RawServer;
using tests::text_at;

template <typename Value>
Value await(asio::awaitable<Value> awaited) {
  // Outlives the client, whose thread may still be leaving `post` when the response arrives.
  static asio::io_context io;
  io.restart();
  auto future = asio::co_spawn(io, std::move(awaited), asio::use_future);
  io.run();
  return future.get();
}

/// The problem with which an awaited call ends; nullopt if it succeeds.
template <typename Value>
std::optional<StoreProblem> problem_of(asio::awaitable<Value> awaited, std::string* message = nullptr) {
  try {
    await(std::move(awaited));
    return std::nullopt;
  } catch (const StoreError& error) {
    if (message != nullptr) *message = error.what();
    return error.problem();
  }
}

/// The connector over real HTTP to the real server. A single suite, so that few processes start a server.
class MedusaConnector : public testing::Test {
 protected:
  void SetUp() override {
    if (!MedusaServer::installed()) {
      GTEST_SKIP() << "tests/packages/medusa is not installed: ./dev test installs it unless the npm "
                      "registry is unreachable";
    }
    server_ = &tests::shared<MedusaServer>();
  }

  MedusaServer& server() { return *server_; }

  Send sender(Duration timeout = std::chrono::seconds(30)) {
    return [this, timeout](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      request.total_timeout = std::min(request.total_timeout, timeout);
      ++calls_;
      co_return co_await net::fetch(client_, std::move(request));
    };
  }

  std::unique_ptr<Store> open(const std::string& key, const std::string& url,
                              Duration timeout = std::chrono::seconds(30)) {
    return medusa_connector().open({key, "", url}, sender(timeout), system_clock(), {});
  }
  std::unique_ptr<Store> open() { return open(server().key(), server().url()); }

  StoreOrder only(const std::string& id) {
    auto page = await(open()->order(id));
    EXPECT_THAT(page.unreadable, testing::IsEmpty());
    if (page.records.size() != 1) throw std::runtime_error("no order " + id);
    return page.records.front();
  }

  /// The store's time; later changes are new.
  Time now() {
    return parse_timestamp(server().database().value("select to_char(clock_timestamp() at time zone 'UTC', "
                                                     "'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"))
        .value();
  }

  template <typename Record>
  static std::vector<Record> all_of(StoreSweep<Record>& sweep) {
    std::vector<Record> records;
    while (auto page = await(sweep.next())) {
      EXPECT_LE(page->records.size(), 250U);
      EXPECT_THAT(page->unreadable, testing::IsEmpty());
      std::ranges::move(page->records, std::back_inserter(records));
    }
    return records;
  }

  template <typename Record>
  static std::set<std::string> ids_of(const std::vector<Record>& records) {
    std::set<std::string> ids;
    for (const auto& record : records) ids.insert(record.external_id);
    return ids;
  }

  std::set<std::string> changed_orders(std::optional<Time> since) {
    const auto store = open();
    const auto sweep = store->orders_since(since);
    return ids_of(all_of(*sweep));
  }

  void touch(const std::string& order) {
    server().post("/admin/orders/" + order, {{"metadata", {{"touched", std::to_string(++touches_)}}}});
  }

  StoreTracking parcel(const std::string& order, const std::string& number) {
    return {.order_id = order,
            .tracking_number = number,
            .carrier_name = "DHL",
            .carrier_code = "dhl",
            .tracking_url = "https://track.example/" + number,
            .shipped_at = now()};
  }

  /// The tracking numbers of each fulfilment that is not canceled.
  std::vector<std::vector<std::string>> labels(const std::string& order) {
    std::vector<std::vector<std::string>> all;
    const auto read = server().read(order);
    for (const auto& fulfillment : at(read, "fulfillments").as_array()) {
      if (!at(fulfillment, "canceled_at").is_null()) continue;
      auto& numbers = all.emplace_back();
      for (const auto& label : at(fulfillment, "labels").as_array()) {
        numbers.push_back(text_at(label, "tracking_number"));
      }
    }
    return all;
  }

  std::atomic<int> calls_ = 0;

 private:
  MedusaServer* server_ = nullptr;
  int touches_ = 0;
  net::HttpClient client_{{.policy = {.allow_private = true}, .ca_file = {}}};
};

/// A proxy in front of the server that forwards every request for which `fault` returns nothing; `answer`
/// sends the request to the server.
class Proxy {
 public:
  using Request = RawServer::Request;
  using Fault = std::function<std::optional<RawServer::Reply>(
      const Request&, const std::function<tests::Response()>& answer)>;

  Proxy(int port, Fault fault)
      : port_(port),
        fault_(std::move(fault)),
        server_([this](const Request& request) { return reply(request); }) {}

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  static RawServer::Reply cut(const tests::Response& answer) {
    auto whole = RawServer::answer(answer.status, answer.text);
    whole.bytes.resize(whole.bytes.size() - answer.text.size() / 2);
    whole.then = RawServer::Reply::Then::reset;
    return whole;
  }
  static RawServer::Reply lost() { return {.bytes = "", .then = RawServer::Reply::Then::reset}; }

 private:
  RawServer::Reply reply(const Request& request) {
    const std::function<tests::Response()> answer = [&] {
      tests::Headers headers;
      for (const auto* const name : {"authorization", "content-type"}) {
        if (const auto found = request.headers.find(name); found != request.headers.end()) {
          headers.emplace_back(found->first, found->second);
        }
      }
      return tests::Http("127.0.0.1", port_)
          .request_text(request.method, request.target, request.body, headers);
    };
    if (auto faulty = fault_(request, answer)) return *std::move(faulty);
    const auto real = answer();
    return RawServer::answer(real.status, real.text, "Content-Type: " + real.header("content-type") + "\r\n");
  }

  int port_;
  Fault fault_;
  RawServer server_;
};

}  // namespace waybill::connectors
