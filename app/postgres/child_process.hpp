#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace waybill::app {

/// The system user that a child runs as.
struct Identity {
  uid_t user = 0;
  gid_t group = 0;
};

/// Owns a file descriptor. Movable.
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
  int input = -1;                    // stdin; /dev/null if negative
  int output = -1;                   // stdout and stderr; inherited if negative
  std::vector<int> inherited;        // descriptors that stay open under their numbers
  int death_signal = 0;              // sent by the kernel when the calling *thread* ends
};

/// Starts a program in a new session (a terminal's Ctrl-C does not reach it) with a small environment: PATH,
/// LC_ALL=C and TZ=UTC. Any thread. Throws std::system_error if the program cannot be started.
pid_t start_child(const ChildOptions& options);

/// Waits for the end of a child. Returns the exit status, or 128 + the signal that ended it.
int wait_for_child(pid_t child);

/// Returns the processes that run `program` (the last part of its path) in the working directory `directory`,
/// as far as this user may see them.
std::vector<pid_t> processes_in(const std::filesystem::path& directory, std::string_view program);

}  // namespace waybill::app
