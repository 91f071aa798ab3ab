#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/harness/server.hpp"
#include "tests/harness/shared.hpp"
#include "tests/workflows/tenant.hpp"

namespace waybill::tests {

/// A database and a waybill that uses it.
struct World {
  explicit World(Waybill::Options options = {}) : waybill(database.url(), std::move(options)) {}

  TestDatabase database;
  Waybill waybill;
};

/// Tests that share one world; each has its own business, named after the test, and its own receiver.
class WorkflowTest : public testing::Test {
 protected:
  static std::string test_name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

  std::string url(std::string_view hook = "hook") const { return receiver.url(tenant.path(hook)); }
  std::vector<Received> wait_for(std::size_t count, std::string_view hook = "hook",
                                 Deadline deadline = default_deadline) {
    return receiver.wait_for(tenant.path(hook), count, deadline);
  }

  /// Suspends the business, or resumes it, and waits until the program knows.
  void set_suspended(bool suspended) {
    const Finished done = run({waybill_binary(), "business", suspended ? "suspend" : "resume",
                               "--database-url", world.database.url(), "--business", tenant.name});
    ASSERT_EQ(done.status, 0) << done.standard_error;
    ASSERT_TRUE(eventually([&] { return (tenant.http.get("/api/v1/Orders").status == 403) == suspended; }));
  }

  World& world = shared<World>();
  Receiver receiver;
  Tenant tenant{world.waybill, test_name()};
};

}  // namespace waybill::tests
