#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cluster/patroni.hpp"
#include "tests/cluster/service.hpp"
#include "tests/crash/ledger.hpp"
#include "tests/crash/writers.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {

using Milliseconds = std::chrono::milliseconds;

/// A sample of durations; prints count, median, 99th percentile and maximum.
class Sample {
 public:
  void add(Milliseconds duration) { durations_.push_back(duration); }
  void add(const std::vector<Milliseconds>& durations);
  bool empty() const { return durations_.empty(); }
  std::size_t size() const { return durations_.size(); }
  /// The smallest duration that `share` of the sample does not exceed; 0 ms if it is empty.
  Milliseconds percentile(double share) const;
  std::string text() const;
  /// A percentile for the documents: "1.2 s".
  std::string seconds(double share) const;

 private:
  std::vector<Milliseconds> durations_;
};

/// The whole cluster under a load of changes, half of them through the API and half by SQL:
/// WAYBILL_CLUSTER_RATE a second (300). Every webhook is in the ledger.
class LoadedCluster : public testing::Test {
 protected:
  static constexpr std::size_t shop_count = 16;

  /// Starts the cluster and creates the shops.
  void start_cluster(const std::string& program = {});
  /// Begins to change orders; each of the 32 clients starts a change every `interval`, 0 for as fast as it
  /// can.
  void start_writers(Deadline interval);
  /// Starts the cluster and the writers at the rate of WAYBILL_CLUSTER_RATE. The test fails if nine tenths of
  /// it are not reached without a fault.
  void start_load(const std::string& program = {});
  /// Ends the load, waits for all runs, and returns a session for the checks.
  Session finish_load();
  /// Checks all that must hold without a loss: each change delivered, none invented, order, one move of the
  /// status, no response with 500.
  void check_everything(Session& database, Ledger::Moment ordered_since = {}) const;
  void print_answers() const;
  /// The number of acknowledged changes per second in a period.
  double rate(Ledger::Moment from, Ledger::Moment until) const;
  /// Prints a row of the table of measured faults in docs/operations.md, unless the test has failed.
  static void print_row(const std::string& fault, std::size_t times, const std::string& lost,
                        const std::string& delay);

  /// Returns after this time, during which the load continues.
  void let_load_run(Milliseconds time) const;

  struct Recovery {
    Milliseconds writable{};  // from the fault until a new primary took a write
    Milliseconds webhook{};   // from that write until its webhook
    Milliseconds api{};       // from that write until the API wrote
  };
  /// Watches all servers but `except`, and the API, until one takes a write. Throws std::runtime_error after
  /// two minutes.
  Recovery watch_recovery(std::optional<std::size_t> except);

  Ledger ledger;
  Receiver receiver{"10.0.0.1"};
  std::unique_ptr<Patroni> postgres;
  std::unique_ptr<Service> service;
  std::vector<Shop> shops;
  std::unique_ptr<Writers> writers;

 private:
  void open_shops();

  int probes_ = 0;
};

}  // namespace waybill::tests
