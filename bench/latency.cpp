// Makes changes one after another and follows each to the receiver:
//   bench_latency api RECEIVER_PORT COUNT PAUSE_US API_PORT TOKEN
//   bench_latency sql RECEIVER_PORT COUNT PAUSE_US STATEMENT
//
// `api` makes COUNT changes of order statuses, to one status and back; `sql` runs the statement, in which $1
// is an increasing number, on the database that libpq's environment names. Each change waits until the one
// before has been received and the pause is over. A change that the API answers with 429 or 5xx is sent
// again. Prints a line with p50, p95, p99 and the maximum in milliseconds for each of three times: from the
// commit (the 2xx, or the statement's result) to the first byte at the receiver; from the sending of the
// change to that byte; from the sending to the commit. The fourth line is the number of changes sent again.

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

/// Makes a change and returns the number of refusals before it.
using Change = std::function<std::uint64_t(std::uint64_t)>;

constexpr int too_many_requests = 429;
constexpr auto pause_after_refusal = std::chrono::milliseconds(20);

Change api_change(std::uint16_t port, std::string token) {
  auto client = std::make_shared<Client>(port);
  return [client, token = std::move(token)](std::uint64_t number) {
    const std::string request =
        status_change(number / 2 + 1, number % 2 == 0 ? "processing" : "pending", token);
    std::uint64_t refusals = 0;
    for (;; ++refusals) {
      const Client::Answer answer = client->answer_to(request);
      if (answer.status / 100 == 2) return refusals;
      if (answer.status < 500 && answer.status != too_many_requests) {
        throw std::runtime_error("the API answered " + std::to_string(answer.status) + " " + answer.body);
      }
      std::this_thread::sleep_for(pause_after_refusal);
    }
  };
}

Change sql_change(const std::string& statement) {
  const auto connection = std::make_shared<pqxx::connection>();
  connection->prepare("change", statement);
  return [connection](std::uint64_t number) {
    pqxx::nontransaction(*connection).exec_prepared("change", number);
    return 0;
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
  std::printf("%.3f %.3f %.3f %.3f\n", share(0.5), share(0.95), share(0.99), values.back());
}

void print_between(const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& ends) {
  std::vector<double> milliseconds;
  milliseconds.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    milliseconds.push_back(static_cast<double>(ends[i] - starts[i]) / 1e6);
  }
  print(std::move(milliseconds));
}

void run(const Change& change, Client& receiver, std::uint64_t count, std::chrono::microseconds pause) {
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> committed;
  std::uint64_t refusals = 0;
  receiver.get("/reset");
  for (std::uint64_t number = 0; number < count; ++number) {
    sent.push_back(now_ns());
    refusals += change(number);
    committed.push_back(now_ns());
    receiver.get("/wait?count=" + std::to_string(number + 1));
    std::this_thread::sleep_for(pause);
  }
  const std::vector<std::int64_t> received = received_times(receiver);
  if (received.size() != count) {
    throw std::runtime_error(std::to_string(received.size()) + " webhooks for " + std::to_string(count) +
                             " changes");
  }
  print_between(committed, received);
  print_between(sent, received);
  print_between(sent, committed);
  std::printf("%llu\n", static_cast<unsigned long long>(refusals));
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
