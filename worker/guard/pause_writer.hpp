#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "base/backoff.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/service.hpp"
#include "worker/guard/pauses.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// Writes pauses of workflows on a dedicated thread and session, because another session may lock a
/// workflow's row, or the row of the workflows' epoch, for any time. In this worker a pause takes effect as
/// soon as it is requested. Any thread may call the methods that are not those of a service.
class PauseWriter final : public Service {
 public:
  PauseWriter(const std::string& database_url, const SecretBox& secrets);
  ~PauseWriter() override { stop_at_once(); }

  void start() override { loop_.start(); }
  /// Attempts once more to write the remaining pauses.
  void stop(Moment until) override;

  /// Ignored if a pause of the workflow is already being written.
  void pause(PauseRequest request);
  void pause(PauseNotice notice);

  /// Waits until all requested pauses are written, so that they are visible before the changes that follow
  /// them. Waits at most 250 ms, and not at all while a pause cannot be written.
  void wait_briefly();

  /// True from `pause` until `seen` shows that the catalogue has it, or until the write finds nothing to
  /// pause.
  bool is_pausing(const Guid& workflow) const;

  /// True if the catalogue has all changes of a business up to an epoch.
  using HasRead = std::function<bool(const Guid& business, std::uint64_t epoch)>;
  /// Notes that the catalogue has the workflows of all businesses as of this epoch, and those of some as of a
  /// later one. Must be called at each turn of the pump.
  void seen(std::uint64_t epoch, const HasRead& has_read);

 private:
  using Request = std::variant<PauseRequest, PauseNotice>;
  struct Entry {
    Request request;
    std::optional<std::uint64_t> epoch;  // set once the pause is written
  };

  void add(const Guid& workflow, Request request);
  Loop::Wait turn();
  bool write_all();
  bool write(const Guid& workflow, const Request& request);
  void written(const Guid& workflow, std::optional<std::uint64_t> epoch);
  void replace_reason(const Guid& workflow);
  std::optional<std::uint64_t> store(const Request& request);
  bool any_unwritten() const REQUIRES(mutex_);

  const SecretBox& secrets_;
  PlainThreadSession
      session_;  // used by loop_ only, like the next two; closed while nothing is to be written
  Backoff backoff_;
  Moment retry_at_{};
  mutable Mutex mutex_;
  Condition changed_;
  std::unordered_map<Guid, Entry> entries_ GUARDED_BY(mutex_);  // by workflow
  std::atomic<std::size_t> count_ = 0;                          // the size of entries_
  std::uint64_t seen_epoch_ GUARDED_BY(mutex_) = 0;
  bool failing_ GUARDED_BY(mutex_) = false;  // the last attempt to write failed
  Loop loop_{ThreadKind::pauses, [this] { return turn(); }};
};

}  // namespace waybill::worker
