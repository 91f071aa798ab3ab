#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "storage/session.hpp"
#include "worker/guard/pauses.hpp"

namespace waybill::worker {

/// Writes pauses of workflows, on a thread and session of its own: another session may hold a workflow's row,
/// or the row of the workflows' epoch, for as long as it likes. A pause is in force in this worker from when
/// it is asked for. Any thread may call any method.
class PauseWriter {
 public:
  PauseWriter(std::string database_url, const SecretBox& secrets);
  /// Tries once more to write what is left, and joins.
  ~PauseWriter();
  PauseWriter(const PauseWriter&) = delete;
  PauseWriter& operator=(const PauseWriter&) = delete;

  /// Further pauses of a workflow whose pause is being written are dropped.
  void pause(PauseRequest request);
  void pause(PauseNotice notice);

  /// Waits until the pauses that were asked for before are written, so that who sees what followed sees the
  /// pause, too; but a fraction of a second at most, and not at all while one cannot be written.
  void wait_briefly();

  /// True from `pause` until `seen` tells of its epoch, or until it turns out that there is nothing to pause.
  bool is_pausing(const Guid& workflow) const;

  /// The catalogue shows the workflows as of this epoch.
  void seen(std::uint64_t epoch);

 private:
  using Wanted = std::variant<PauseRequest, PauseNotice>;
  struct Entry {
    Wanted wanted;
    std::optional<std::uint64_t> epoch;  // once it is written
  };

  void add(const Guid& workflow, Wanted wanted);
  void run();
  bool write_all();
  bool write(Guid workflow, Wanted wanted);
  void written(const Guid& workflow, std::optional<std::uint64_t> epoch);
  void make_writable(const Guid& workflow);
  std::optional<std::uint64_t> store(const Wanted& wanted);
  bool any_unwritten() const;  // with the mutex

  const std::string database_url_;
  const SecretBox& secrets_;
  std::unique_ptr<storage::Session> session_;  // the thread's; while anything is to be written
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<Guid, Entry> entries_;  // by workflow
  std::atomic<std::size_t> count_ = 0;       // of entries_
  std::uint64_t seen_epoch_ = 0;
  bool failing_ = false;  // the last attempt was in vain
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
