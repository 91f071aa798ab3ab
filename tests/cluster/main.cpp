#include <csignal>
#include <iostream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/cluster/machine.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    waybill::tests::enter_switch();
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return RUN_ALL_TESTS();
}
