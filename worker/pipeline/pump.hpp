#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/fair_queue.hpp"
#include "base/guid.hpp"
#include "storage/leases.hpp"
#include "storage/run_store.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/pipeline/backlog.hpp"
#include "worker/pipeline/matcher.hpp"
#include "worker/pipeline/rate_mode.hpp"
#include "worker/pipeline/wake_up.hpp"
#include "worker/pipeline/watermarks.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_preparer.hpp"

namespace waybill::worker {

/// The worker's main thread: looks at the outbox when woken (by NOTIFY, by room in memory, by a due run, by
/// the clock once a second), hands events to the matcher and runs to the runner, and takes due runs from the
/// queue. It looks far ahead, for what an event costs before it is matched is little, and matches in slices
/// of a few milliseconds in which the businesses take turns.
class Pump {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::size_t shard_batch = 1000;                 // events of one shard in one look
    std::size_t events_known = 100'000;             // seen and not matched
    std::size_t events_in_memory = 2000;            // matched and not settled, shared by business
    Duration slice = std::chrono::milliseconds(2);  // what matching one batch should take
    std::size_t most_in_slice = 500;
    std::size_t claim_batch = 256;
    std::size_t claim_per_destination = 32;
    std::size_t claim_bytes = 8UL * 1024 * 1024;
    Duration claim_lease = std::chrono::seconds(30);
    Duration poll = std::chrono::seconds(1);
  };

  Pump(Options options, Catalogue& catalogue, Matcher& matcher, BlastGuard& guard, PauseWriter& pauses,
       Runner& runner, const Clock& clock);
  ~Pump();
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  void start();
  /// Takes no more and joins.
  void stop();

  /// From any thread.
  void hold(const storage::HeldShards& shards);
  void settled(const std::vector<storage::EventKey>& events, std::optional<Time> next_due);
  bool busy(std::int16_t shard) const;
  Time last_look() const;
  /// Every event of its shards that was committed before is matched, as far as its last look saw.
  Time matched_until() const;

 private:
  /// A claimed run without its texts.
  struct ToRender {
    storage::ClaimedRun run;
    Time since;
  };

  void run();
  void work();
  void keep_firings();
  void connect();
  void turn();
  bool notified();
  void follow_leases();
  bool look_at_outbox();
  bool has_room();
  /// Answers the rows that came along, of some events.
  std::vector<storage::StoredEvent> scan(Time now);
  bool match_slice(std::vector<storage::StoredEvent> rows);
  std::vector<MatchedEvent> match(const std::vector<storage::PendingEvent>& events,
                                  std::vector<storage::StoredEvent> rows);
  void give_back_unmatched(std::vector<storage::PendingEvent> events,
                           const std::vector<MatchedEvent>& matched);
  void size_slice(std::size_t events, std::size_t matched, Duration took);
  void follow_workflows(Time now);
  void follow(std::uint64_t workflow_epoch);
  bool may_defer();
  bool claim_due_runs();
  void take_claimed(std::vector<storage::ClaimedRun> claimed);
  bool render_some();
  void give_back_unrendered();
  storage::ClaimedRun take_to_render(ToRender one);
  bool match_postponed();
  void wait();
  void refresh();

  const Options options_;
  Catalogue& catalogue_;
  Matcher& matcher_;
  BlastGuard& guard_;
  PauseWriter& pauses_;
  Runner& runner_;
  const Clock& clock_;
  WakeUp wake_up_;
  std::unique_ptr<storage::Session> session_;

  mutable std::mutex mutex_;  // of the next seven
  Watermarks watermarks_;
  Backlog backlog_;
  storage::HeldShards wanted_;  // as the lease keeper says
  bool wanted_changed_ = false;
  std::optional<Time> next_due_;
  bool stopping_ = false;

  bool starved_ = false;  // nothing matched or claimed for want of room

  // The thread's own.
  storage::HeldShards read_;  // as watermarks_ has them
  std::uint64_t seen_epoch_ = 0;
  RunPreparer preparer_;
  FairQueue<Guid, ToRender> to_render_;              // by business
  std::unordered_map<Guid, std::size_t> rendering_;  // their number, by business
  std::size_t render_batch_ = 4;
  Time last_census_{};
  bool may_defer_ = false;
  Time next_postponed_look_{};
  Time next_queue_look_{};
  Time last_xid_{};
  bool was_connected_ = false;
  bool reread_workflows_ = false;  // all of them: the server may have lost changes
  RateMode rate_;
  std::size_t slice_ = 32;  // events of a batch
  bool saw_all_ = true;     // the last look saw every shard to its end
  Backoff backoff_;         // between attempts to go on after a failure
  std::atomic<Time::rep> last_look_{0};
  std::atomic<Time::rep> matched_until_;
  std::thread thread_;
};

}  // namespace waybill::worker
