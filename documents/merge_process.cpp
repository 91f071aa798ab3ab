#include "documents/merge_process.hpp"

#include <array>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "documents/label_pages.hpp"
#include "documents/merge_frames.hpp"

namespace waybill::documents {
namespace {

using Steady = std::chrono::steady_clock;

/// More than the frames around a PDF take.
constexpr std::size_t largest_answer = largest_merge + (std::size_t{1} << 20U);

void check(int error, const char* place) {
  if (error != 0) throw std::system_error(error, std::generic_category(), place);
}

/// A socket of a pair.
class End {
 public:
  explicit End(int descriptor) : descriptor_(descriptor) {}
  ~End() { close(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

struct FileActions {
  FileActions() { check(::posix_spawn_file_actions_init(&value), "posix_spawn_file_actions_init"); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&value); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  posix_spawn_file_actions_t value{};
};

struct Attributes {
  Attributes() { check(::posix_spawnattr_init(&value), "posix_spawnattr_init"); }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  posix_spawnattr_t value{};
};

/// A process that is killed with the object. Its standard input and output are one socket.
class Child {
 public:
  Child(const std::filesystem::path& program, std::vector<std::string> arguments, int socket) {
    FileActions actions;
    check(::posix_spawn_file_actions_adddup2(&actions.value, socket, STDIN_FILENO), "dup2");
    check(::posix_spawn_file_actions_adddup2(&actions.value, socket, STDOUT_FILENO), "dup2");
    check(::posix_spawn_file_actions_addclosefrom_np(&actions.value, STDERR_FILENO + 1), "closefrom");
    // A terminal's Ctrl-C does not reach it, and signals do what they do by default.
    Attributes attributes;
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes.value, &none);
    ::posix_spawnattr_setsigdefault(&attributes.value, &all);
    ::posix_spawnattr_setflags(&attributes.value,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    std::array<char*, 1> environment{};
    check(::posix_spawn(&process_, program.c_str(), &actions.value, &attributes.value, pointers.data(),
                        environment.data()),
          "cannot start a process that merges labels");
  }
  ~Child() {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  pid_t process_ = 0;
};

/// The request as it is sent, without a copy of the labels.
class Request {
 public:
  explicit Request(const std::vector<LabelFile>& labels) {
    for (const LabelFile& label : labels) heads_.push_back(label_head(label));
    heads_.push_back(end_of_labels());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      parts_.emplace_back(heads_[i].data(), heads_[i].size());
      if (!labels[i].bytes.empty()) parts_.emplace_back(labels[i].bytes);
    }
    parts_.emplace_back(heads_.back().data(), heads_.back().size());
  }

  bool is_sent() const { return parts_.empty(); }
  /// Sends as much as the socket takes. Of a process that reads no more, the answer tells the reason.
  void send_to(int socket) {
    while (!parts_.empty()) {
      const ssize_t sent = ::send(socket, parts_.front().data(), parts_.front().size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (sent < 0) parts_.clear();
      if (sent < 0) return;
      parts_.front().remove_prefix(static_cast<std::size_t>(sent));
      if (parts_.front().empty()) parts_.pop_front();
    }
  }

 private:
  std::deque<FrameHead> heads_;  // keeps the addresses of its elements
  std::deque<std::string_view> parts_;
};

/// Receives what there is. False at the end of the answer, and if it is too large.
bool receive(int socket, std::string& answer) {
  std::array<char, 65'536> buffer{};
  while (true) {
    const ssize_t size = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (size == 0) return false;
    answer.append(buffer.data(), static_cast<std::size_t>(size));
    if (answer.size() > largest_answer) return false;
  }
}

/// Returns the answer until the process ends it, or until the time is over.
std::string converse(int socket, Request request, Steady::time_point until) {
  std::string answer;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    if (left.count() <= 0) return answer;
    pollfd polled{.fd = socket,
                  .events = static_cast<short>(request.is_sent() ? POLLIN : POLLIN | POLLOUT),
                  .revents = 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready <= 0) continue;
    if ((polled.revents & POLLOUT) != 0) request.send_to(socket);
    if ((polled.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !receive(socket, answer)) return answer;
  }
}

MergedLabels result_of(MergeAnswer answer, std::size_t labels) {
  if (!answer.last_begun) throw std::runtime_error("the process that merges labels read none");
  MergedLabels merged{.pdf = {}, .unprintable = std::move(answer.unprintable)};
  if (answer.pdf) {
    if (merged.unprintable.empty() && answer.pdf->size() <= largest_merge)
      merged.pdf = *std::move(answer.pdf);
  } else if (*answer.last_begun < labels) {
    merged.unprintable.push_back(
        {.label = *answer.last_begun,
         .reason = "has a label that cannot be read with the time and memory for it"});
  }
  return merged;
}

}  // namespace

MergedLabels merge_apart(const std::vector<LabelFile>& labels, const MergeLimits& limits,
                         const std::filesystem::path& program) {
  const auto until = Steady::now() + limits.time;
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  const End own(sockets[0]);
  End other(sockets[1]);
  if (::fcntl(own.get(), F_SETFL, O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "fcntl");
  const Child child(program,
                    {"waybill", "merge-labels", "--seconds", std::to_string(limits.processor_time.count())},
                    other.get());
  other.close();
  return result_of(read_answer(converse(own.get(), Request(labels), until), labels.size()), labels.size());
}

void serve_merge(std::istream& request, std::ostream& answer) {
  auto labels = read_labels(request);
  AnswerWriter writer(answer);
  std::vector<std::string> pdfs;
  bool all_are_printable = true;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    writer.begin(i);
    try {
      auto pages = printable_pages(std::exchange(labels[i], {}));
      if (all_are_printable) pdfs.push_back(std::move(pages));
    } catch (const UnprintableLabel& error) {
      writer.refuse(i, error.what());
      all_are_printable = false;
    } catch (const std::bad_alloc&) {
      writer.refuse(i, "has a label that takes too much memory");
      all_are_printable = false;
    }
  }
  writer.begin(labels.size());
  writer.finish(all_are_printable ? merge_pages(pdfs) : std::string());
}

}  // namespace waybill::documents
