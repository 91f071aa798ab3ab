#include "app/postgres/postgres_programs.hpp"

#include <gtest/gtest.h>

#include "app/postgres/postgres_cluster.hpp"

namespace waybill::app {
namespace {

constexpr std::uint64_t gigabyte = 1ULL << 30;

const std::vector<PostgresPrograms> installed = {
    {"/pg/19", 19}, {"/pg/18", 18}, {"/pg/16", 16}, {"/pg/15", 15}, {"/pg/13", 13}};

TEST(PostgresPrograms, ANewClusterGetsTheNewestSupported) {
  EXPECT_EQ(choose_postgres(installed, 0, "/data").directory, "/pg/18");
}

TEST(PostgresPrograms, AClusterNeedsItsOwnVersion) {
  EXPECT_EQ(choose_postgres(installed, 15, "/data").directory, "/pg/15");
  try {
    choose_postgres(installed, 14, "/data/postgres");
    FAIL();
  } catch (const ClusterError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("/data/postgres was made by PostgreSQL 14"), std::string::npos) << message;
    EXPECT_NE(message.find("16 in /pg/16"), std::string::npos) << message;
  }
}

TEST(PostgresPrograms, WithoutAnyProgramsTheErrorNamesTheRemedy) {
  try {
    choose_postgres({}, 0, "/data");
    FAIL();
  } catch (const ClusterError& error) {
    EXPECT_NE(std::string(error.what()).find("--database-url"), std::string::npos);
  }
}

TEST(PostgresPrograms, ADirectoryWithoutServerProgramsIsAnError) {
  EXPECT_THROW(find_postgres("/nonexistent"), ClusterError);
}

TEST(PostgresSettings, AreSizedByMemoryWithinBounds) {
  EXPECT_NE(server_settings(gigabyte, true).find("shared_buffers = 256MB\n"), std::string::npos);
  EXPECT_NE(server_settings(64 * gigabyte, true).find("shared_buffers = 2048MB\n"), std::string::npos);
  EXPECT_NE(server_settings(gigabyte / 16, true).find("shared_buffers = 32MB\n"), std::string::npos);
}

TEST(PostgresSettings, NameLz4OnlyForServersThatWereBuiltWithIt) {
  EXPECT_NE(server_settings(gigabyte, true).find("wal_compression = lz4\n"), std::string::npos);
  EXPECT_EQ(server_settings(gigabyte, false).find("lz4"), std::string::npos);
  EXPECT_NE(server_settings(gigabyte, false).find("wal_compression = on\n"), std::string::npos);
  EXPECT_FALSE(compresses_with_lz4({"/nonexistent", 15}));
}

TEST(PostgresSettings, NeverTouchDurability) {
  const std::string settings = server_settings(gigabyte, true);
  for (const char* name :
       {"fsync", "full_page_writes", "synchronous_commit", "wal_level", "listen_addresses"}) {
    EXPECT_EQ(settings.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace waybill::app
