#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/cluster/fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// WAYBILL_CLUSTER_OLD is the program of the previous release.
class RollingUpgrade : public LoadedCluster {};

TEST_F(RollingUpgrade, FailsNoRequestAndLosesNoEvent) {
  const char* const old_program = std::getenv("WAYBILL_CLUSTER_OLD");
  ASSERT_NE(old_program, nullptr) << "WAYBILL_CLUSTER_OLD is missing";
  start_load(old_program);
  let_load_run(3s);
  service->use({});
  service->migrate();
  let_load_run(3s);
  for (std::size_t i = 0; i < Service::apis; ++i) {
    service->stop_api(i);
    service->start_api(i);
    let_load_run(3s);
  }
  for (std::size_t i = 0; i < Service::workers; ++i) {
    service->stop_worker(i);
    service->start_worker(i);
    let_load_run(1s);
  }
  // A worker of the old program can reorder the changes of a record if a migration keeps it from recording
  // one.
  const auto upgraded = std::chrono::steady_clock::now();
  let_load_run(5s);
  Session database = finish_load();
  check_everything(database, upgraded);
  std::size_t requests = 0;
  for (const auto& [status, count] : ledger.answers()) {
    EXPECT_TRUE(status == 200 || status == 201) << count << " requests got " << status;
    requests += count;
  }
  print_row("rolling upgrade", 1, "0", "none of " + std::to_string(requests) + " requests failed");
}

}  // namespace
}  // namespace waybill::tests
