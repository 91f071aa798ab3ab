#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace waybill::app {

/// A user of the system that a child runs as.
struct Identity {
  uid_t user = 0;
  gid_t group = 0;
};

/// A file descriptor that closes itself. Movable.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  ~FileHandle() { reset(); }
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    reset(other.release());
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release();
  void reset(int descriptor = -1);

 private:
  int descriptor_ = -1;
};

struct ChildOptions {
  std::vector<std::string> command;  // the program's path and its arguments
  std::optional<Identity> run_as;    // needs root
  int input = -1;                    // becomes stdin; /dev/null without one
  int output = -1;                   // becomes stdout and stderr; inherited without one
  std::vector<int> inherited;        // stay open under their numbers
  int death_signal = 0;              // what the kernel sends it when the calling *thread* ends
};

/// Starts a program in a session of its own (a terminal's Ctrl-C does not reach it) with a small environment
/// of its own: PATH, LC_ALL=C and TZ=UTC. May be called from any thread. Throws std::system_error when it
/// cannot be started.
pid_t start_child(const ChildOptions& options);

/// Waits for its end. The exit status, or 128 + the signal that ended it.
int wait_for_child(pid_t child);

/// The processes that run `program` (the last part of its path) with `directory` as their working directory,
/// as far as this user may see them.
std::vector<pid_t> processes_in(const std::filesystem::path& directory, std::string_view program);

}  // namespace waybill::app
