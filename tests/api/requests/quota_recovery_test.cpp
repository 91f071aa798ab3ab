// Quotas after a crash of the database, whose table of them is unlogged.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view path = "/api/business/my-business";
constexpr int limit = 40;

pid_t postmaster_of(const std::filesystem::path& data_dir) {
  std::ifstream file(data_dir / "postgres" / "postmaster.pid");
  pid_t pid = 0;
  file >> pid;
  return pid;
}

TEST(QuotaRecovery, ACrashOfTheDatabaseNeitherDoublesAQuotaNorEndsIt) {
  const TempDirectory directory;
  Waybill up("", {.arguments = {"--plans", "pro=" + std::to_string(limit)}, .data_dir = directory / "data"});
  auto http = up.business("crashed", "pro");
  const auto other = up.token("crashed", "pro");
  // Makes the test fit into one window.
  ASSERT_TRUE(
      eventually([] { return to_unix_seconds(system_clock().now()) % 60 < 40; }, std::chrono::seconds(25)));
  int granted = 0;
  for (; granted < limit / 2; ++granted) ASSERT_EQ(http.get(path).status, 200) << granted;
  const pid_t before = postmaster_of(directory / "data");
  ASSERT_GT(before, 0);
  ASSERT_EQ(::kill(before, SIGKILL), 0);
  ASSERT_TRUE(eventually(
      [&] { return postmaster_of(directory / "data") != before && http.get("/readyz").status == 200; }));
  // Some requests may find a broken connection. They count, too.
  const auto is_refused = [&] {
    const auto response = http.get(path);
    granted += response.status == 200 ? 1 : 0;
    return response.status == 429;
  };
  EXPECT_TRUE(eventually(is_refused));
  EXPECT_LE(granted, limit);
  EXPECT_GT(granted, limit * 3 / 4);
  EXPECT_EQ(up.http(other).get(path).status, 200) << "the business has more than this token";
}

}  // namespace
}  // namespace waybill::tests
