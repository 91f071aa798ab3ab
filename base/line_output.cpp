#include "base/line_output.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

namespace waybill {

LineOutput::~LineOutput() { close_end(); }

void LineOutput::close_end() {
  if (end_ >= 0) ::close(end_);
  end_ = -1;
}

/// The descriptor may be shared with other processes, so its flags stay. The pipe is opened once more, by its
/// entry in /proc (proc(5)). Where that fails, a pipe that polls writable takes PIPE_BUF bytes at once,
/// unless another writer fills it in between.
ssize_t LineOutput::write_to_pipe(std::string_view text, ino_t pipe) {
  if (end_ < 0 || end_of_ != pipe) {
    close_end();
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
    end_ = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    end_of_ = pipe;
  }
  if (end_ >= 0) return ::write(end_, text.data(), text.size());
  if (!wait_for_room(std::chrono::milliseconds(0))) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
}

ssize_t LineOutput::write_some(std::string_view text) {
  struct stat status{};
  if (::fstat(descriptor_, &status) == 0) {
    if (S_ISFIFO(status.st_mode)) return write_to_pipe(text, status.st_ino);
    if (S_ISSOCK(status.st_mode))
      return ::send(descriptor_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  return ::write(descriptor_, text.data(), text.size());
}

bool LineOutput::write(std::string_view line) {
  write_rest();
  if (!rest_.empty()) return false;
  rest_.assign(line).append("\n");
  if (write_rest()) return true;
  rest_.clear();
  return false;
}

bool LineOutput::wait_for_room(std::chrono::milliseconds most) {
  pollfd watched{.fd = descriptor_, .events = POLLOUT, .revents = 0};
  return ::poll(&watched, 1, static_cast<int>(most.count())) != 0;
}

void LineOutput::finish() {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::seconds(1);
  while (!rest_.empty() && steady_clock::now() < end) {
    wait_for_room(std::chrono::milliseconds(100));
    write_rest();
  }
}

bool LineOutput::write_rest() {
  std::size_t done = 0;
  bool is_lost = false;
  while (done < rest_.size() && !is_lost) {
    const ssize_t written = write_some(std::string_view(rest_).substr(done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      is_lost = true;
    }
  }
  rest_.erase(0, is_lost ? rest_.size() : done);
  return done > 0;
}

}  // namespace waybill
