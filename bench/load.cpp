// Makes changes as fast as possible; prints when the first was sent and when the last was committed, in
// nanoseconds of CLOCK_MONOTONIC:
//   bench_load api PORT TOKEN CONNECTIONS COUNT STATUS   moves the first COUNT orders to STATUS
//   bench_load sql                 runs the statements on standard input, one after another, on the database
//                                  that libpq's environment names; prints the times of the last one
//   bench_load until               runs the statement on standard input every 5 ms until its result is "t"

#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <sys/epoll.h>
#include <thread>
#include <vector>

#include <pqxx/pqxx>

#include "bench/loopback.hpp"

namespace waybill::bench {
namespace {

struct Connection {
  Socket socket;
  std::string input;
};

/// Sends one request at a time on each connection.
class ApiLoad {
 public:
  ApiLoad(std::uint16_t port, std::string token, std::size_t connections, std::uint64_t count,
          std::string status)
      : token_(std::move(token)),
        status_(std::move(status)),
        count_(count),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < connections; ++i) {
      connections_.push_back({connect_to(port), {}});
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      if (::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, connections_.back().socket.fd(), &event) != 0)
        fail("epoll_ctl");
    }
  }

  void run() {
    for (Connection& connection : connections_) send_next(connection);
    std::array<epoll_event, 64> events{};
    while (answered_ < count_) {
      const int ready = ::epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < ready; ++i) read(connections_.at(events.at(static_cast<std::size_t>(i)).data.u64));
    }
  }

 private:
  void send_next(const Connection& connection) {
    if (sent_ < count_) send_all(connection.socket.fd(), status_change(++sent_, status_, token_));
  }

  void read(Connection& connection) {
    std::array<char, 4096> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): written by recv
    const ssize_t got = ::recv(connection.socket.fd(), chunk.data(), chunk.size(), 0);
    if (got <= 0) throw std::runtime_error("the API closed a connection");
    connection.input.append(chunk.data(), static_cast<std::size_t>(got));
    const Message answer = parse_message(connection.input);
    if (answer.size == 0) return;
    if (status_of(answer.start_line) != 200) throw std::runtime_error("the API answered " + connection.input);
    connection.input.clear();
    ++answered_;
    send_next(connection);
  }

  const std::string token_;
  const std::string status_;
  const std::uint64_t count_;
  Socket epoll_;
  std::vector<Connection> connections_;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
};

class Database {
 public:
  /// Returns the first value of the result.
  std::string run(const std::string& statement) {
    const pqxx::result rows = pqxx::nontransaction(connection_).exec(statement);
    return rows.empty() || rows.columns() == 0 ? "" : rows[0][0].c_str();
  }

 private:
  pqxx::connection connection_;
};

std::int64_t run_statements() {
  Database database;
  std::int64_t start = 0;
  std::string statement;
  while (std::getline(std::cin, statement)) {
    start = now_ns();
    database.run(statement);
  }
  return start;
}

// Each run is a separate transaction, because a long one would keep dead rows and distort the measurement.
std::int64_t run_until() {
  Database database;
  std::string statement;
  std::getline(std::cin, statement);
  const std::int64_t start = now_ns();
  while (database.run(statement) != "t") std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return start;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using namespace waybill::bench;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    std::int64_t start = 0;
    if (arguments.size() == 6 && arguments[0] == "api") {
      ApiLoad load(parse_number<std::uint16_t>(arguments[1], "PORT"), arguments[2],
                   parse_number<std::size_t>(arguments[3], "CONNECTIONS"),
                   parse_number<std::uint64_t>(arguments[4], "COUNT"), arguments[5]);
      start = now_ns();
      load.run();
    } else if (arguments.size() == 1 && arguments[0] == "sql") {
      start = run_statements();
    } else if (arguments.size() == 1 && arguments[0] == "until") {
      start = run_until();
    } else {
      throw std::invalid_argument("wrong arguments; see bench/load.cpp");
    }
    std::printf("%lld %lld\n", static_cast<long long>(start), static_cast<long long>(now_ns()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_load: %s\n", error.what());
    return 1;
  }
}
