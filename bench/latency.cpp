// Makes changes one after another and follows each to the receiver:
//   bench_latency api RECEIVER_PORT COUNT PAUSE_US API_PORT TOKEN
//   bench_latency sql RECEIVER_PORT COUNT PAUSE_US STATEMENT
//
// `api` makes COUNT changes of order statuses, to one status and back; `sql` runs the statement, in which $1
// is an increasing number, on the database that libpq's environment names. Each change waits until the one
// before has been received and the pause is over. Prints p50, p99 and the maximum in milliseconds: first from
// the commit (the 2xx, or the statement's result) to the first byte at the receiver, then from the sending of
// the change.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <pqxx/pqxx>

#include "bench/loopback.hpp"

namespace waybill::bench {
namespace {

using Change = std::function<void(std::uint64_t)>;

Change api_change(std::uint16_t port, std::string token) {
  auto client = std::make_shared<Client>(port);
  return [client, token = std::move(token)](std::uint64_t number) {
    const std::uint64_t order = number / 2 + 1;
    client->exchange(status_change(order, number % 2 == 0 ? "processing" : "pending", token));
  };
}

Change sql_change(const std::string& statement) {
  const auto connection = std::make_shared<pqxx::connection>();
  connection->prepare("change", statement);
  return [connection](std::uint64_t number) {
    pqxx::nontransaction(*connection).exec_prepared("change", number);
  };
}

std::vector<std::int64_t> received_times(Client& receiver) {
  const std::string text = receiver.get("/times");
  std::vector<std::int64_t> times;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    times.push_back(parse_number<std::int64_t>(std::string_view(text).substr(at, end - at), "a time"));
    at = end + 1;
  }
  return times;
}

void print(std::vector<double> values) {
  std::ranges::sort(values);
  const auto share = [&](double part) {
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(part * static_cast<double>(values.size())))];
  };
  std::printf("%.3f %.3f %.3f\n", share(0.5), share(0.99), values.back());
}

void run(const Change& change, Client& receiver, std::uint64_t count, std::chrono::microseconds pause) {
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> committed;
  receiver.get("/reset");
  for (std::uint64_t number = 0; number < count; ++number) {
    sent.push_back(now_ns());
    change(number);
    committed.push_back(now_ns());
    receiver.get("/wait?count=" + std::to_string(number + 1));
    std::this_thread::sleep_for(pause);
  }
  const std::vector<std::int64_t> received = received_times(receiver);
  if (received.size() != count) {
    throw std::runtime_error(std::to_string(received.size()) + " webhooks for " + std::to_string(count) +
                             " changes");
  }
  for (const auto& start : {committed, sent}) {
    std::vector<double> milliseconds;
    milliseconds.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      milliseconds.push_back(static_cast<double>(received[i] - start[i]) / 1e6);
    }
    print(std::move(milliseconds));
  }
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using namespace waybill::bench;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const bool is_api = arguments.size() == 6 && arguments[0] == "api";
    if (!is_api && !(arguments.size() == 5 && arguments[0] == "sql")) {
      throw std::invalid_argument("wrong arguments; see bench/latency.cpp");
    }
    Client receiver(parse_number<std::uint16_t>(arguments[1], "RECEIVER_PORT"));
    const Change change =
        is_api ? api_change(parse_number<std::uint16_t>(arguments[4], "API_PORT"), arguments[5])
               : sql_change(arguments[4]);
    run(change, receiver, parse_number<std::uint64_t>(arguments[2], "COUNT"),
        std::chrono::microseconds(parse_number<std::int64_t>(arguments[3], "PAUSE_US")));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_latency: %s\n", error.what());
    return 1;
  }
}
