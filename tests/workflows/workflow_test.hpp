#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"
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

  World& world = shared<World>();
  Receiver receiver;
  Tenant tenant{world.waybill, test_name()};
};

}  // namespace waybill::tests
