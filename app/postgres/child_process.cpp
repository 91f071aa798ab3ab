#include "app/postgres/child_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/number.hpp"

namespace waybill::app {
namespace {

// Only system calls are allowed between fork and exec, because other threads may have held any lock at the
// fork. libc's setuid and similar wrappers signal the process's other threads, which the child does not have.
[[noreturn]] void exec_child(const ChildOptions& options, char* const* arguments, char* const* environment,
                             int null_device, int error_pipe, pid_t parent) {
  const auto fail = [&] {
    const int error = errno;
    (void)!::write(error_pipe, &error, sizeof error);
    ::_exit(127);
  };
  ::setsid();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGHUP}) ::signal(signal, SIG_DFL);
  if (::dup2(options.input >= 0 ? options.input : null_device, 0) < 0) fail();
  if (options.output >= 0 && (::dup2(options.output, 1) < 0 || ::dup2(options.output, 2) < 0)) fail();
  for (const int descriptor : options.inherited) {
    if (::fcntl(descriptor, F_SETFD, 0) < 0) fail();
  }
  if (options.run_as) {
    const gid_t group = options.run_as->group;
    if (::syscall(SYS_setgroups, 1, &group) != 0 || ::syscall(SYS_setgid, group) != 0 ||
        ::syscall(SYS_setuid, options.run_as->user) != 0) {
      fail();
    }
  }
  if (options.death_signal != 0) {
    ::prctl(PR_SET_PDEATHSIG, options.death_signal);
    if (::getppid() != parent) ::_exit(127);
  }
  ::execve(arguments[0], arguments, environment);
  fail();
  ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

int FileHandle::release() { return std::exchange(descriptor_, -1); }

void FileHandle::reset(int descriptor) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = descriptor;
}

pid_t start_child(const ChildOptions& options) {
  std::vector<std::string> command = options.command;
  const char* const path =
      std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  std::vector<std::string> environment = {
      std::string("PATH=") + (path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"), "LC_ALL=C", "TZ=UTC"};
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> variables = pointers(environment);
  const FileHandle null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null_device) throw std::system_error(errno, std::generic_category(), "/dev/null");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const FileHandle read_end(ends[0]);
  FileHandle write_end(ends[1]);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    exec_child(options, arguments.data(), variables.data(), null_device.get(), write_end.get(), parent);
  }
  write_end.reset();
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(read_end.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    wait_for_child(child);
    throw std::system_error(error, std::generic_category(), "cannot start " + options.command.front());
  }
  return child;
}

int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<pid_t> processes_in(const std::filesystem::path& directory, std::string_view program) {
  struct stat wanted{};
  if (::stat(directory.c_str(), &wanted) != 0) return {};
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    const auto pid = parse_number<pid_t>(name);
    if (!pid || *pid == ::getpid()) continue;
    struct stat cwd{};
    if (::stat((entry.path() / "cwd").c_str(), &cwd) != 0) continue;
    if (cwd.st_dev != wanted.st_dev || cwd.st_ino != wanted.st_ino) continue;
    std::string executable = std::filesystem::read_symlink(entry.path() / "exe", ignored).filename().string();
    executable = executable.substr(0, executable.find(" (deleted)"));
    if (executable == program) found.push_back(*pid);
  }
  return found;
}

}  // namespace waybill::app
