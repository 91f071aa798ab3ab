#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace waybill {

/// Writes lines to a descriptor that it does not own, and never waits for the reader of a pipe or socket: a
/// line for which there is no room is dropped. Files and terminals are written as usual. One thread at a
/// time.
class LineOutput {
 public:
  explicit LineOutput(int descriptor) : descriptor_(descriptor) {}
  ~LineOutput();
  LineOutput(const LineOutput&) = delete;
  LineOutput& operator=(const LineOutput&) = delete;

  /// Writes `line` and a line feed. Returns false if the line is dropped. A line is dropped as a whole: the
  /// rest of a long one that was begun is written before the next line.
  bool write(std::string_view line);

  /// Returns false if there is no room for anything after `most`.
  bool wait_for_room(std::chrono::milliseconds most);

  /// Waits up to a second for room for the rest of the last line, and writes it.
  void finish();

 private:
  ssize_t write_some(std::string_view text);
  ssize_t write_to_pipe(std::string_view text, ino_t pipe);
  void close_end();
  /// Writes as much of the rest as there is room for. Returns false if nothing was written.
  bool write_rest();

  const int descriptor_;
  int end_ = -1;      // an own end of the pipe, which does not block
  ino_t end_of_ = 0;  // the pipe of `end_`
  std::string rest_;  // of the line that was begun
};

}  // namespace waybill
