#include <array>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

/// A pipe of one page with a name, whose reader reads when it is told to.
class StalledPipe {
 public:
  StalledPipe() : path_(directory_ / "log") {
    // The reader is also a writer, so that the pipe can be opened before the process.
    if (::mkfifo(path_.c_str(), 0600) != 0 ||
        (reader_ = ::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0 ||
        ::fcntl(reader_, F_SETPIPE_SZ, 4096) != 4096)
      throw std::runtime_error("cannot make a pipe");
  }
  ~StalledPipe() { ::close(reader_); }
  StalledPipe(const StalledPipe&) = delete;
  StalledPipe& operator=(const StalledPipe&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void fill() const {
    const std::string text(4096, '\n');
    while (::write(reader_, text.data(), text.size()) > 0) continue;
    while (::write(reader_, text.data(), 1) > 0) continue;
  }
  std::string read() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(reader_, buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  TempDirectory directory_;
  std::filesystem::path path_;
  int reader_ = -1;
};

TEST(StalledLog, AProcessWhoseLogNobodyReadsWorksAndEndsAndCountsTheLinesThatItDropped) {
  const TestDatabase database;
  const StalledPipe log;
  log.fill();
  Waybill up(database.url(), {.arguments = {"--log-level", "debug"},
                              .prefix = {"sh", "-c", "exec \"$@\" 2>\"$0\"", log.path()}});
  Http client = up.business("Acme");
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.request("GET", "/api/v1/Orders").status, 200);
  EXPECT_TRUE(eventually([&] { return client.request("GET", "/readyz?worker").status == 200; }));
  log.read();
  std::string text;
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(client.request("GET", "/api/v1/Orders").status, 200);
    text += log.read();
    return text.find("ERROR log.lines_dropped lines=") != std::string::npos &&
           text.find("request.served") != std::string::npos;
  })) << text;
  log.fill();
  EXPECT_EQ(up.stop(std::chrono::seconds(10)), 0);
}

TEST(StalledLog, AProcessThatCannotStartEndsThoughNobodyReadsWhy) {
  const TestDatabase empty(TestDatabase::Content::empty);
  const StalledPipe log;
  log.fill();
  Process api({"sh", "-c", "exec \"$@\" 2>\"$0\"", log.path(), waybill_binary(), "api", "--database-url",
               empty.url(), "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--secret-key-file",
               "/nowhere"});
  EXPECT_NE(api.wait_exit().value_or(0), 0);
}

}  // namespace
}  // namespace waybill::tests
