#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/shared.hpp"
#include "tests/harness/statements_run.hpp"

namespace {

/// The tests of one folder, which often share what is slow to start.
struct Group {
  std::string folder;
  std::string filter;
};

/// Folders whose tests take minutes come first, so that no process is left with one of them at the end.
constexpr std::array<std::string_view, 7> slow_folders{
    "tests/carriers",       "tests/app",  "tests/console", "tests/workflows/timing", "tests/connectors",
    "tests/workflows/runs", "tests/crash"};

Group& group_of(std::vector<Group>& groups, const std::string& folder) {
  for (Group& group : groups) {
    if (group.folder == folder) return group;
  }
  return groups.emplace_back(Group{.folder = folder, .filter = {}});
}

std::vector<Group> all_groups() {
  std::vector<Group> groups;
  const auto& tests = *testing::UnitTest::GetInstance();
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path();
  for (const std::string_view folder : slow_folders) group_of(groups, root / folder);
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *tests.GetTestSuite(i);
    const std::filesystem::path file = suite.GetTestInfo(0)->file();
    group_of(groups, file.parent_path()).filter.append(suite.name()).append(".*:");
  }
  return groups;
}

/// Draws the next number from a file that several processes share.
std::size_t next_of(const char* queue) {
  const int file = open(queue, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  std::size_t number = 0;
  if (file < 0 || flock(file, LOCK_EX) != 0) throw std::runtime_error(std::string("cannot use ") + queue);
  if (pread(file, &number, sizeof number, 0) != sizeof number) number = 0;
  const std::size_t next = number + 1;
  if (pwrite(file, &next, sizeof next, 0) != sizeof next) throw std::runtime_error("cannot write the queue");
  close(file);
  return number;
}

/// Runs the folders that no other process has taken from the queue.
int run_groups(const char* queue) {
  int failed = 0;
  const std::vector<Group> groups = all_groups();
  for (std::size_t i = next_of(queue); i < groups.size(); i = next_of(queue)) {
    std::cout << "folder " << groups[i].folder << std::endl;
    GTEST_FLAG_SET(filter, groups[i].filter);
    failed |= RUN_ALL_TESTS();
  }
  return failed;
}

}  // namespace

/// With TESTS_QUEUE, processes that have the same file there share all tests between them, folder by folder.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Writing to a closed process or connection must return an error instead of ending the tests.
  std::signal(SIGPIPE, SIG_IGN);
  waybill::tests::remove_left_directories();
  const char* const queue = std::getenv("TESTS_QUEUE");
  const int failed = queue != nullptr ? run_groups(queue) : RUN_ALL_TESTS();
  waybill::tests::release_shared();
  waybill::tests::write_recorded_statements();
  waybill::tests::stop_postgres();
  return failed;
}
