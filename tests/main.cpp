#include <csignal>

#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"
#include "tests/harness/shared.hpp"
#include "tests/harness/statements_run.hpp"

namespace {

class Harness : public testing::Environment {
 public:
  void TearDown() override {
    waybill::tests::release_shared();
    waybill::tests::write_recorded_statements();
    waybill::tests::stop_postgres();
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Writing to a closed process or connection must return an error instead of ending the tests.
  std::signal(SIGPIPE, SIG_IGN);
  testing::AddGlobalTestEnvironment(new Harness);  // owned by GoogleTest
  return RUN_ALL_TESTS();
}
