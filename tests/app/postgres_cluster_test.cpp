#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;

Waybill::Options on(const fs::path& data_dir) { return {.data_dir = data_dir}; }

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

pid_t postmaster_of(const fs::path& data_dir) {
  const std::string line = first_line(data_dir / "postgres/postmaster.pid");
  return line.empty() ? 0 : std::stoi(line);  // empty until the server has written it
}

bool answers(const std::string& url) {
  try {
    return Session(url).number("select 1") == 1;
  } catch (const std::runtime_error&) {
    return false;
  }
}

unsigned mode_of(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
}

std::vector<std::string> up_command(const fs::path& data_dir) {
  return {waybill_binary(), "up",          "--data-dir",       data_dir,
          "--listen",       "127.0.0.1:0", "--metrics-listen", "off"};
}

/// A data directory whose cluster has been created and stopped.
class StoppedCluster {
 public:
  StoppedCluster() {
    Waybill waybill("", on(data_dir()));
    url_ = waybill.database_url();
    EXPECT_EQ(waybill.stop(), 0);
  }
  fs::path data_dir() const { return directory_ / "data"; }
  const std::string& url() const { return url_; }

 private:
  TempDirectory directory_;
  std::string url_;
};

/// A cluster shared by the tests that do not change it.
class RunningCluster : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = std::make_unique<TempDirectory>();
    waybill_ = std::make_unique<Waybill>("", on(data_dir()));
  }
  static void TearDownTestSuite() {
    waybill_.reset();
    directory_.reset();
  }
  static fs::path data_dir() { return *directory_ / "data"; }
  static Waybill& waybill() { return *waybill_; }

 private:
  static inline std::unique_ptr<TempDirectory> directory_;
  static inline std::unique_ptr<Waybill> waybill_;
};

TEST_F(RunningCluster, IsPrivateDurableAndWithoutTcp) {
  EXPECT_EQ(mode_of(data_dir()), 0700U);
  Session session(waybill().database_url());
  EXPECT_EQ(session.value("show listen_addresses"), "");
  for (const char* setting : {"fsync", "full_page_writes", "synchronous_commit"}) {
    EXPECT_EQ(session.value(std::string("show ") + setting), "on") << setting;
  }
  EXPECT_EQ(session.value("show server_encoding"), "UTF8");
}

TEST_F(RunningCluster, DoesNotRunItsServerAsRoot) {
  struct stat status{};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(postmaster_of(data_dir()))).c_str(), &status), 0);
  EXPECT_NE(status.st_uid, 0U);
}

TEST(Cluster, AUnprivilegedUserCanRunACluster) {
  const auto user = unprivileged_user();
  const TempDirectory directory;
  fs::permissions(directory.path(), fs::perms(0777));
  Process up(up_command(directory / "data"), {.user = user, .death_signal = SIGTERM});
  ASSERT_TRUE(up.wait_for_line("listening on", std::chrono::seconds(60))) << up.standard_error();
  // A user who may enter the data directory, here root, reaches the database.
  const Finished created =
      run({waybill_binary(), "token", "create", "--business", "Own", "--data-dir", directory / "data"});
  EXPECT_EQ(created.status, 0) << created.standard_error;
  up.kill(SIGTERM);
  EXPECT_EQ(up.wait_exit(), 0);
}

// The socket's directory has a well-known path if the data directory's path is too long for a socket.
TEST(Cluster, ASocketDirectoryOfAnotherUserIsRefusedAndLeftUnchanged) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make another user's directory";
  const TempDirectory directory;
  const fs::path data_dir = directory / std::string(100, 'd');
  const auto digest = sha256(data_dir.string());
  const fs::path foreign_directory = "/tmp/waybill-" + hex(std::span(digest).first(8));
  const fs::path lock = foreign_directory / "socket" / ".s.PGSQL.5432.lock";
  fs::create_directories(lock.parent_path());
  const AtExit remove([&] { fs::remove_all(foreign_directory); });
  std::ofstream(lock) << "precious\n";
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(::chown(foreign_directory.c_str(), nobody, nobody), 0);
  fs::permissions(foreign_directory, fs::perms(0777));
  const Finished up = run(up_command(data_dir));
  EXPECT_EQ(up.status, 1);
  EXPECT_NE(up.standard_error.find(foreign_directory.string() +
                                   " is needed for the server's socket, but belongs to another user"),
            std::string::npos)
      << up.standard_error;
  EXPECT_EQ(mode_of(foreign_directory), 0777U);
  EXPECT_TRUE(fs::exists(lock));
}

TEST(Cluster, CommittedDataSurvivesAKillOfAllProcesses) {
  const TempDirectory directory;
  {
    Waybill waybill("", on(directory / "data"));
    Session(waybill.database_url()).exec("create table kept (n int); insert into kept values (42)");
    waybill.process().kill_tree();
  }
  const Waybill again("", on(directory / "data"));
  EXPECT_EQ(Session(again.database_url()).number("select n from kept"), 42);
}

TEST(Cluster, TheServerStopsWithItsOwner) {
  const TempDirectory directory;
  Waybill waybill("", on(directory / "data"));
  const pid_t server = postmaster_of(directory / "data");
  waybill.process().kill(SIGKILL);
  EXPECT_TRUE(eventually([&] { return ::kill(server, 0) != 0; }));
}

TEST_F(RunningCluster, AServerThatDiesIsRestarted) {
  const pid_t server = postmaster_of(data_dir());
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  EXPECT_TRUE(eventually([&] {
    const pid_t now = postmaster_of(data_dir());
    return now != 0 && now != server && answers(waybill().database_url());
  }));
}

TEST(Cluster, AStalePidFileOfAnotherProcessIsIgnored) {
  const StoppedCluster cluster;
  std::ofstream(cluster.data_dir() / "postgres/postmaster.pid") << ::getppid() << "\n/elsewhere\n";
  const Waybill again("", on(cluster.data_dir()));
  EXPECT_TRUE(answers(again.database_url()));
}

TEST(Cluster, AnUnfinishedClusterIsCreatedAgain) {
  const TempDirectory directory;
  fs::create_directories(directory / "data/postgres.new/base");
  std::ofstream(directory / "data/postgres.new/PG_VERSION") << "15\n";
  const Waybill waybill("", on(directory / "data"));
  EXPECT_TRUE(answers(waybill.database_url()));
  EXPECT_FALSE(fs::exists(directory / "data/postgres.new"));
}

TEST(Cluster, AClusterOfAnotherVersionIsReported) {
  const StoppedCluster cluster;
  std::ofstream(cluster.data_dir() / "postgres/PG_VERSION") << "9\n";
  const Finished refused = run(up_command(cluster.data_dir()));
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("was made by PostgreSQL 9"), std::string::npos)
      << refused.standard_error;
}

TEST_F(RunningCluster, HasOneOwnerAtATime) {
  const Finished refused = run(up_command(data_dir()));
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("in use by process " + std::to_string(waybill().process().pid())),
            std::string::npos)
      << refused.standard_error;
  EXPECT_TRUE(answers(waybill().database_url()));
}

TEST(Cluster, ADataDirectoryMayHaveALongPath) {
  const TempDirectory directory;
  const fs::path data_dir = directory / std::string(100, 'x') / "da ta";
  fs::create_directories(data_dir.parent_path());
  Waybill waybill("", on(data_dir));
  EXPECT_TRUE(answers(waybill.database_url()));
  const Finished created =
      run({waybill_binary(), "token", "create", "--business", "Long", "--data-dir", data_dir});
  EXPECT_EQ(created.status, 0) << created.standard_error;
  EXPECT_EQ(waybill.stop(), 0);
}

TEST(Cluster, ADataDirectoryWithACommaInItsPathIsRefusedBeforeItIsMade) {
  const TempDirectory directory;
  const fs::path data_dir = directory / "dir 7,8";
  const Finished refused = run(up_command(data_dir));
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("--data-dir must not have a comma in its path"), std::string::npos)
      << refused.standard_error;
  EXPECT_FALSE(fs::exists(data_dir));
}

TEST(Cluster, ThePortOfAnotherServerInTheEnvironmentHasNoEffect) {
  const TempDirectory directory;
  Waybill::Options options = on(directory / "data");
  options.environment = {{"PGPORT", "1"}};
  const Waybill up("", options);
  const Finished list = run({waybill_binary(), "business", "list", "--data-dir", directory / "data"},
                            {.environment = {{"PGPORT", "1"}}});
  EXPECT_EQ(list.status, 0) << list.standard_error;
}

TEST(Cluster, AnExistingDataDirectoryKeepsItsModeAndSigtermStopsTheServer) {
  const TempDirectory directory;
  fs::create_directory(directory / "data");
  fs::permissions(directory / "data", fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  Waybill waybill("", on(directory / "data"));
  EXPECT_EQ(mode_of(directory / "data"), 0750U);
  const pid_t server = postmaster_of(directory / "data");
  EXPECT_EQ(waybill.stop(), 0);
  EXPECT_NE(::kill(server, 0), 0);
  EXPECT_FALSE(fs::exists(directory / "data/postgres/postmaster.pid"));
}

}  // namespace
}  // namespace waybill::tests
