#include "app/process/memory.hpp"

#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace waybill::app {
namespace {

namespace fs = std::filesystem;

/// A directory with the files of control groups.
class UsableMemory : public testing::Test {
 protected:
  UsableMemory() { fs::create_directories(root); }
  ~UsableMemory() override { fs::remove_all(root); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << '\n';
  }

  const fs::path root = fs::temp_directory_path() / ("waybill-memory-" + std::to_string(::getpid()));
  const std::uint64_t machine = usable_memory(root / "none");
};

TEST_F(UsableMemory, IsTheMachinesWithoutALimit) {
  EXPECT_GT(machine, 64U << 20);
  write("sys/fs/cgroup/memory.max", "max");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("proc/self/cgroup", "0::/\n1:memory:/\nnonsense");
  EXPECT_EQ(usable_memory(root), machine);
}

TEST_F(UsableMemory, IsTheLimitOfAContainer) {
  write("sys/fs/cgroup/memory.max", "50000000");
  EXPECT_EQ(usable_memory(root), 50'000'000U);
  fs::remove(root / "sys/fs/cgroup/memory.max");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "40000000");
  write("proc/self/cgroup", "4:cpuset,memory:/docker/of-the-host");
  EXPECT_EQ(usable_memory(root), 40'000'000U);
}

TEST_F(UsableMemory, IsTheLeastLimitAboveAService) {
  write("proc/self/cgroup", "0::/system.slice/waybill.service");
  write("sys/fs/cgroup/system.slice/waybill.service/memory.max", "60000000");
  EXPECT_EQ(usable_memory(root), 60'000'000U);
  write("sys/fs/cgroup/system.slice/memory.max", "30000000");
  EXPECT_EQ(usable_memory(root), 30'000'000U);
  write("proc/self/cgroup", "7:memory:/slice/service");
  write("sys/fs/cgroup/memory/slice/memory.limit_in_bytes", "20000000");
  EXPECT_EQ(usable_memory(root), 20'000'000U);
}

}  // namespace
}  // namespace waybill::app
