#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/machine.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {

/// API processes, workers and HAProxy, each on a machine of its own, on one database. The configuration of
/// HAProxy is deploy/patroni/haproxy-api.cfg; it runs on the switch and serves the API at 127.0.0.1:80. For
/// one thread at a time.
class Service {
 public:
  static constexpr std::size_t apis = 3;
  static constexpr std::size_t workers = 4;

  /// Migrates the database and starts everything. `program` is another version of waybill, or empty.
  Service(std::string database_url, std::string program);

  int port() const { return 80; }
  const Waybill& api() const { return *apis_.front(); }
  Waybill& worker(std::size_t number) { return *workers_.at(number); }
  Machine& machine_of_worker(std::size_t number) { return *worker_machines_.at(number); }

  /// Start a process again with the current program; the previous one must have ended.
  void start_api(std::size_t number);
  void start_worker(std::size_t number);
  /// Stop a process with SIGTERM. Throw std::runtime_error unless its exit status is 0.
  void stop_api(std::size_t number);
  void stop_worker(std::size_t number);
  /// Sets the program of processes that are started from now on.
  void use(std::string program) { program_ = std::move(program); }
  /// Runs `waybill migrate` of the current program.
  void migrate() const;

 private:
  std::unique_ptr<Waybill> start(const std::string& command, const Machine& machine) const;
  void start_proxy();

  std::string database_url_;
  std::string program_;
  TempDirectory directory_;
  std::vector<std::unique_ptr<Machine>> api_machines_;
  std::vector<std::unique_ptr<Machine>> worker_machines_;
  std::vector<std::unique_ptr<Waybill>> apis_;
  std::vector<std::unique_ptr<Waybill>> workers_;
  std::unique_ptr<Process> proxy_;
};

}  // namespace waybill::tests
