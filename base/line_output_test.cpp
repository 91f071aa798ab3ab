#include "base/line_output.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace waybill {
namespace {

constexpr int page = 4096;

/// A pipe or socket for little more than a page of text, and its reader.
class LineOutputTest : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // as in the processes that log
    if (GetParam() == "socket") {
      ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
      ASSERT_EQ(::setsockopt(ends_[1], SOL_SOCKET, SO_SNDBUF, &page, sizeof page), 0);
    } else if (GetParam() == "pipe") {
      ASSERT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    } else {
      const std::string path = testing::TempDir() + "line_output_" + std::to_string(::getpid());
      ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
      ends_[0] = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      ends_[1] = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      ::unlink(path.c_str());
    }
    if (GetParam() != "socket") {
      ASSERT_EQ(::fcntl(ends_[1], F_SETPIPE_SZ, page), page);
    }
    ASSERT_EQ(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    output_.emplace(ends_[1]);
  }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }

  LineOutput& output() { return *output_; }
  std::string read() const {
    std::string text;
    std::array<char, page> buffer{};
    for (ssize_t got = 0; (got = ::read(ends_[0], buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
  }
  void close_reader() {
    ::close(ends_[0]);
    ends_[0] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  std::optional<LineOutput> output_;
};

TEST_P(LineOutputTest, RoomIsThereOnceTheReaderHasRead) {
  EXPECT_TRUE(output().wait_for_room(std::chrono::milliseconds(0)));
  while (output().write(std::string(99, 'x'))) continue;
  EXPECT_FALSE(output().wait_for_room(std::chrono::milliseconds(0)));
  read();
  EXPECT_TRUE(output().wait_for_room(std::chrono::seconds(10)));
}

TEST_P(LineOutputTest, ALineWithoutRoomIsDroppedAndNoneIsTorn) {
  const std::string line(99, 'x');
  std::string written;
  while (output().write(line)) written += line + '\n';
  EXPECT_FALSE(output().write(line));
  std::string read_text = read();
  EXPECT_TRUE(output().write("next"));
  read_text += read();
  // A socket may have taken the beginning of a line, whose rest follows.
  EXPECT_EQ(read_text, written + "next\n");
}

TEST_P(LineOutputTest, TheRestOfALongLineIsWrittenBeforeTheNextLine) {
  const std::string line(20 * page, 'x');
  ASSERT_TRUE(output().write(line));
  EXPECT_FALSE(output().write("dropped"));
  std::string text = read();
  for (int i = 0; i < 100 && !output().write("next"); ++i) text += read();
  text += read();
  EXPECT_EQ(text, line + "\nnext\n");
}

TEST_P(LineOutputTest, ALineWithoutAReaderIsDropped) {
  close_reader();
  EXPECT_FALSE(output().write("line"));
  EXPECT_FALSE(output().write("line"));
}

INSTANTIATE_TEST_SUITE_P(Outputs, LineOutputTest, testing::Values("pipe", "fifo", "socket"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace waybill
