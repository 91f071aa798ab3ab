#include "tests/harness/process.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <linux/magic.h>
#include <map>
#include <mutex>
#include <poll.h>
#include <pwd.h>
#include <set>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace waybill::tests {
namespace {

constexpr const char* disk = "/tmp";
constexpr const char* memory = "/dev/shm";
/// The number of the process follows.
const std::string prefix = "wb-";

/// The free space of a file system in memory; 0 if the directory does not exist or is on a disk.
std::uint64_t free_bytes(const char* directory) {
  struct statfs system{};
  if (statfs(directory, &system) != 0 || system.f_type != TMPFS_MAGIC) return 0;
  return std::uint64_t{system.f_bavail} * static_cast<std::uint64_t>(system.f_bsize);
}

[[noreturn]] void fail(const std::string& message) {
  throw std::system_error(errno, std::generic_category(), message);
}

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_read() { close_end(read); }
  void close_write() { close_end(write); }

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

struct Account {
  uid_t uid;
  gid_t gid;
};

std::optional<Account> find_account(const std::optional<std::string>& user) {
  if (!user) return std::nullopt;
  const passwd* entry = getpwnam(user->c_str());
  if (entry == nullptr) throw std::runtime_error("no user " + *user);
  return Account{entry->pw_uid, entry->pw_gid};
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    // Settings for the test or for a developer's own waybill must not reach the process under test.
    if (equals != std::string_view::npos && !text.starts_with("WAYBILL_"))
      all[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : added) all[name] = value;
  std::vector<std::string> result;
  result.reserve(all.size());
  for (const auto& [name, value] : all) result.emplace_back(name).append("=").append(value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Only async-signal-safe functions may be called between fork and exec, so everything is prepared before.
struct Prepared {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::optional<Account> account;
  int death_signal = SIGKILL;
};

[[noreturn]] void become(const Prepared& prepared, int in, int out, int err, pid_t parent) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (prepared.account) {
    if (setgroups(0, nullptr) != 0 || setgid(prepared.account->gid) != 0 ||
        setuid(prepared.account->uid) != 0)
      _exit(126);
    if (chdir("/") != 0) _exit(126);
  }
  // Set after setuid, which clears it.
  prctl(PR_SET_PDEATHSIG, prepared.death_signal);
  if (getppid() != parent) _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execvpe(prepared.argv.front(), prepared.argv.data(), prepared.envp.data());
  _exit(127);
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::filesystem::path waybill_binary() {
  if (const char* given = std::getenv("WAYBILL_BINARY")) return given;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "waybill";
}

TempDirectory::TempDirectory() {
  const bool in_memory = free_bytes(memory) >= 6'000'000'000;
  std::string name =
      std::string(in_memory ? memory : disk) + "/" + prefix + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail("mkdtemp");
  path_ = name;
  // A server program that runs as another user must be able to enter the directory.
  using enum std::filesystem::perms;
  std::filesystem::permissions(path_, owner_all | group_read | group_exec | others_read | others_exec);
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void remove_left_directories() {
  for (const char* const parent : {disk, memory}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with(prefix)) continue;
      const int process = std::atoi(name.c_str() + prefix.size());
      if (process > 0 && kill(process, 0) != 0 && errno == ESRCH)
        std::filesystem::remove_all(entry.path(), ignored);
    }
  }
}

struct Process::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  pid_t pid = 0;
  bool reaped = false;
  int status = -1;
  int open_streams = 2;
  std::array<std::string, 2> output;        // complete stdout and stderr
  std::array<std::size_t, 2> line_start{};  // start of each stream's unfinished line
  std::vector<std::string> lines;           // lines of both streams, in order of arrival
  Pipe out;
  Pipe err;
  int stop = eventfd(0, EFD_CLOEXEC);
  std::thread reader;
  std::thread waiter;

  ~State() { ::close(stop); }

  void take(std::size_t stream, std::string_view bytes) {
    const std::lock_guard lock(mutex);
    std::string& text = output.at(stream);
    text += bytes;
    for (auto end = text.find('\n', line_start.at(stream)); end != std::string::npos;
         end = text.find('\n', line_start.at(stream))) {
      lines.push_back(text.substr(line_start.at(stream), end - line_start.at(stream)));
      line_start.at(stream) = end + 1;
    }
    changed.notify_all();
  }

  void read_output() {
    std::array<pollfd, 3> watched{{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {stop, POLLIN, 0}}};
    std::array<char, 16384> buffer{};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
      if (poll(watched.data(), watched.size(), -1) < 0) continue;
      for (std::size_t stream = 0; stream < 2; ++stream) {
        pollfd& entry = watched.at(stream);
        if (entry.fd < 0 || entry.revents == 0) continue;
        const ssize_t got = read(entry.fd, buffer.data(), buffer.size());
        if (got > 0) {
          take(stream, {buffer.data(), static_cast<std::size_t>(got)});
        } else {
          entry.fd = -1;
          const std::lock_guard lock(mutex);
          --open_streams;
          changed.notify_all();
        }
      }
      // Grandchildren may hold the pipes open for longer than the test wants to read.
      if (watched[2].revents != 0 && watched[0].revents == 0 && watched[1].revents == 0) return;
    }
  }

  void wait_for_end() {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    // Reaped under the lock, so that `kill` never uses a pid that has been reused.
    const std::lock_guard lock(mutex);
    int raw = 0;
    waitpid(pid, &raw, 0);
    status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    reaped = true;
    changed.notify_all();
  }
};

Process::Process(std::vector<std::string> command, const Options& options)
    : state_(std::make_unique<State>()) {
  Prepared prepared{.command = std::move(command),
                    .environment = merged_environment(options.environment),
                    .argv = {},
                    .envp = {},
                    .account = find_account(options.user),
                    .death_signal = options.death_signal};
  prepared.argv = pointers(prepared.command);
  prepared.envp = pointers(prepared.environment);
  Pipe in;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) become(prepared, in.read, state_->out.write, state_->err.write, parent);
  state_->pid = pid;
  in.close_read();
  state_->out.close_write();
  state_->err.close_write();
  state_->reader = std::thread([state = state_.get()] { state->read_output(); });
  state_->waiter = std::thread([state = state_.get()] { state->wait_for_end(); });
  write_all(in.write, options.standard_input);
}

Process::~Process() {
  kill(SIGKILL);
  state_->waiter.join();
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(state_->stop, &one, sizeof one);
  state_->reader.join();
}

pid_t Process::pid() const { return state_->pid; }

bool Process::running() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->reaped;
}

std::optional<std::string> Process::wait_for_line(std::string_view text, Deadline deadline) {
  std::unique_lock lock(state_->mutex);
  std::size_t seen = 0;
  std::optional<std::string> found;
  state_->changed.wait_for(lock, deadline, [&] {
    for (; seen < state_->lines.size(); ++seen) {
      if (state_->lines[seen].find(text) != std::string::npos) {
        found = state_->lines[seen];
        return true;
      }
    }
    return state_->open_streams == 0;
  });
  return found;
}

std::optional<int> Process::wait_exit(Deadline deadline) {
  std::unique_lock lock(state_->mutex);
  if (!state_->changed.wait_for(lock, deadline, [&] { return state_->reaped; })) return std::nullopt;
  return state_->status;
}

void Process::kill(int signal) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->reaped) ::kill(state_->pid, signal);
}

void Process::kill_tree() {
  const std::vector<pid_t> tree = process_tree(state_->pid);
  kill(SIGKILL);  // Before its children, because it could react to their end.
  for (const pid_t pid : tree) {
    if (pid != state_->pid) ::kill(pid, SIGKILL);
  }
}

std::string Process::standard_output() const {
  const std::lock_guard lock(state_->mutex);
  return state_->output[0];
}

std::string Process::standard_error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->output[1];
}

Finished run(std::vector<std::string> command, const Process::Options& options, Deadline deadline) {
  Process process(std::move(command), options);
  const auto status = process.wait_exit(deadline);
  // The pipes close with the last process that holds them, usually this child.
  if (status) process.wait_for_line("\x01 no such line", std::chrono::seconds(1));
  return {status.value_or(-1), process.standard_output(), process.standard_error()};
}

std::vector<pid_t> process_tree(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    // A stream iterator would throw if the process ended between open and read (ESRCH).
    std::string text;
    std::getline(file, text, '\0');
    // Format: "pid (name) state ppid …"; the name may contain any character.
    const auto close = text.rfind(')');
    if (close == std::string::npos || close + 4 >= text.size()) continue;
    children.emplace(std::atoi(text.c_str() + close + 4), std::stoi(name));
  }
  std::vector<pid_t> tree{root};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto [first, last] = children.equal_range(tree[i]);
    for (auto child = first; child != last; ++child) tree.push_back(child->second);
  }
  return tree;
}

void expect_little_memory(pid_t process) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string word;
  while (status >> word && word != "VmHWM:") continue;
  std::size_t kilobytes = 0;
  EXPECT_TRUE(status >> kilobytes) << "the process has ended";
  EXPECT_LT(kilobytes * 1024, 200'000'000U);
#else
  static_cast<void>(process);
#endif
}

}  // namespace waybill::tests
