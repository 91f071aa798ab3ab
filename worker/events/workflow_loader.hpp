#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/heartbeat.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/work_thread.hpp"
#include "base/time_share_queue.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// Reads and parses changed workflows on a thread and session of its own, because those of one business can
/// take some tenths of a second. Businesses share the time of the thread: the one that has lately used the
/// least comes first, and one whose workflows take long has a turn of its own. It reconnects by itself and
/// repeats what failed. Nothing is read while a result waits to be taken, so at most the workflows of one
/// turn are in memory besides the catalogue. All methods are called by one other thread.
class WorkflowLoader {
 public:
  struct Request {
    Guid business_id;
    std::uint64_t since;  // all changes up to this epoch are known
    std::uint64_t least;  // all changes up to this one are wanted
  };
  struct Loaded {
    std::vector<Guid> businesses;
    std::uint64_t reached;                  // all their changes up to this epoch are read
    Time as_of;                             // a time before the reading, by the clock of the database
    std::vector<ParsedWorkflow> workflows;  // the changed ones
  };
  using OnLoaded = std::function<void()>;

  /// `on_loaded` is called on the thread when there is a result. Everything referred to outlives it.
  WorkflowLoader(storage::Sessions sessions, const Catalogue& catalogue, OnLoaded on_loaded);
  ~WorkflowLoader() { stop(); }
  WorkflowLoader(const WorkflowLoader&) = delete;
  WorkflowLoader& operator=(const WorkflowLoader&) = delete;

  void start();
  /// Joins the thread.
  void stop() { thread_.stop(); }

  /// Requests the changes of a business. The business must have no request whose result was not taken.
  void load(const Request& request);
  /// Returns the next result, if there is one.
  std::optional<Loaded> take();
  /// Forgets all requests and results, also of a reading under way. Later requests are read with a new
  /// session.
  void forget();
  /// Destroys workflows on the thread.
  void destroy(std::vector<WorkflowPtr> workflows);

  /// Beats at each turn, also while the database is unavailable.
  const Heartbeat& heartbeat() const { return thread_.heartbeat(); }

 private:
  struct Turn {
    std::vector<Request> requests;
    std::uint64_t session;
  };
  void run(const std::stop_token& stop);
  std::optional<Turn> next_turn();
  void read(const Turn& turn, const std::stop_token& stop);
  void count_time(const Turn& turn, TimeShares<Guid>::Moment began, const Loaded& loaded);
  void put_back(const Turn& turn);

  const Catalogue& catalogue_;
  const OnLoaded on_loaded_;
  ThreadSession session_;             // used by thread_ only, as is the next member
  std::uint64_t session_number_ = 0;  // of session_
  Mutex mutex_;
  std::uint64_t wanted_session_ GUARDED_BY(mutex_) = 0;  // for the requests and the result
  TimeShares<Guid> shares_ GUARDED_BY(mutex_);
  TimeShareQueue<Guid, Request> requests_ GUARDED_BY(mutex_){shares_};  // at most one per business
  std::optional<Loaded> loaded_ GUARDED_BY(mutex_);
  std::vector<WorkflowPtr> destroyed_ GUARDED_BY(mutex_);  // to be destroyed in the next turn
  WorkThread thread_{ThreadKind::workflows};
};

}  // namespace waybill::worker
