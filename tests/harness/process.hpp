#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace waybill::tests {

using Deadline = std::chrono::milliseconds;

/// The time limit of a test for something that takes milliseconds on a healthy machine.
inline constexpr Deadline default_deadline = std::chrono::seconds(15);

/// The program under test: WAYBILL_BINARY, or `waybill` next to the test program.
std::filesystem::path waybill_binary();

/// A directory that is removed with the object, with a path short enough for a unix socket in it. It is in
/// memory, where files are created and removed ten times faster, or on the disk if less than 6 GB of memory
/// are free for files. Programs may not run from it.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Removes the directories that test programs left behind when they were killed.
void remove_left_directories();

/// A child process whose output is read line by line. It dies with the thread that started it, so start it on
/// a long-lived thread. The destructor kills it (SIGKILL). All methods may be called from any thread.
class Process {
 public:
  struct Options {
    std::vector<std::pair<std::string, std::string>> environment =
        {};                                // added to the environment of the test
    std::optional<std::string> user = {};  // a name in /etc/passwd to run as; needs root
    std::string standard_input = {};
    int death_signal = 9;  // sent to the child when the test dies
  };

  explicit Process(std::vector<std::string> command) : Process(std::move(command), Options{}) {}
  Process(std::vector<std::string> command, const Options& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const;
  bool running() const;

  /// The first line of stdout or stderr that contains `text`, past or future; nullopt if the deadline passes
  /// or the process ends without it.
  std::optional<std::string> wait_for_line(std::string_view text, Deadline deadline = default_deadline);

  /// The exit status, or 128 + the signal that ended it; nullopt if it still runs at the deadline.
  std::optional<int> wait_exit(Deadline deadline = default_deadline);

  /// Does nothing if the process has ended.
  void kill(int signal);
  /// Sends SIGKILL to the process and to all its current descendants.
  void kill_tree();

  /// The output so far.
  std::string standard_output() const;
  std::string standard_error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct Finished {
  int status = -1;  // 128 + the signal; -1 if it did not end in time
  std::string standard_output;
  std::string standard_error;
};

/// Runs a command to its end.
Finished run(std::vector<std::string> command, const Process::Options& options = {},
             Deadline deadline = std::chrono::seconds(60));

/// The process and all its descendants, from /proc.
std::vector<pid_t> process_tree(pid_t root);

/// Expects that the peak memory of a process (proc(5), VmHWM) is below 200 MB. Checks nothing under a
/// sanitizer, which needs more.
void expect_little_memory(pid_t process);

/// Runs `act` when the scope ends.
template <class Act>
class AtExit {
 public:
  explicit AtExit(Act act) : act_(std::move(act)) {}
  ~AtExit() { act_(); }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;

 private:
  Act act_;
};

}  // namespace waybill::tests
