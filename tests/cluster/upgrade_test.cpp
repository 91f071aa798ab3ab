#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/cluster/fixture.hpp"
#include "tests/crash/faults.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// Replaces the processes of a cluster under load, one after the other.
class Rolling : public LoadedCluster {
 protected:
  void restart_api(std::size_t number) {
    service->stop_api(number);
    service->start_api(number);
  }
  void restart_worker(std::size_t number) {
    service->stop_worker(number);
    service->start_worker(number);
  }

  /// Checks that each request succeeded, and prints the row of the documents.
  void expect_no_failed_request(const std::string& fault, std::size_t times) {
    std::size_t requests = 0;
    for (const auto& [status, count] : ledger.answers()) {
      EXPECT_TRUE(status == 200 || status == 201) << count << " requests got " << status;
      requests += count;
    }
    print_row(fault, times, "0", "none of " + std::to_string(requests) + " requests failed");
  }
};

/// WAYBILL_CLUSTER_OLD is the program of the previous release.
class RollingUpgrade : public Rolling {};

TEST_F(RollingUpgrade, FailsNoRequestAndLosesNoEvent) {
  const char* const old_program = std::getenv("WAYBILL_CLUSTER_OLD");
  ASSERT_NE(old_program, nullptr) << "WAYBILL_CLUSTER_OLD is missing";
  start_load(old_program);
  let_load_run(3s);
  service->use({});
  service->migrate();
  let_load_run(3s);
  for (std::size_t i = 0; i < Service::apis; ++i) {
    restart_api(i);
    let_load_run(3s);
  }
  for (std::size_t i = 0; i < Service::workers; ++i) {
    restart_worker(i);
    let_load_run(1s);
  }
  // A worker of the old program can reorder the changes of a record if a migration keeps it from recording
  // one.
  const auto upgraded = std::chrono::steady_clock::now();
  let_load_run(5s);
  Session database = finish_load();
  check_everything(database, upgraded);
  expect_no_failed_request("rolling upgrade", 1);
}

/// WAYBILL_CLUSTER_REPETITIONS replaces the number of restarts.
class RollingRestart : public Rolling {};

TEST_F(RollingRestart, FailsNoRequestAndLosesNoEvent) {
  const auto times = from_environment("WAYBILL_CLUSTER_REPETITIONS", 20);
  start_load();
  for (std::size_t i = 0; i < times; ++i) {
    let_load_run(2s);
    restart_api(i % Service::apis);
    restart_worker(i % Service::workers);
  }
  let_load_run(2s);
  Session database = finish_load();
  check_everything(database);
  expect_no_failed_request("API and worker restarted", times);
}

}  // namespace
}  // namespace waybill::tests
