#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.hpp"
#include "storage/session/session.hpp"
#include "worker/events/workflow_loader.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Keeps the catalogue of workflows as the database has it. All workflows are read at once at the start and
/// after a reconnection. Later it only finds out which businesses have changes, and a loader reads them:
/// until then, events of these businesses that were committed after the changes wait. Also keeps the list of
/// businesses whose events are set aside, and finds out whether all living workers can perform runs that are
/// queued without their texts. Runs on the pump thread only. Methods with a session throw DatabaseUnavailable
/// or StatementError.
class WorkflowFollower {
 public:
  WorkflowFollower(Catalogue& catalogue, PauseWriter& pauses, WorkflowLoader& loader)
      : catalogue_(catalogue), pauses_(pauses), loader_(loader) {}

  /// Notes a new connection: all workflows are read again, because the server may have lost changes. Returns
  /// true for a reconnection.
  bool connected();

  /// Notes which businesses have changes up to `epoch`, which a look at the outbox or a claim returned.
  void follow(storage::Session& session, std::uint64_t epoch);

  /// Notes which businesses have changes up to now. Needed for postponed matches of other workers, which
  /// may come from a newer version of a workflow.
  void follow_now(storage::Session& session);

  /// Applies the changes that the loader has read, and returns true if there were some. Must be called at
  /// each turn: it also ends the pauses in memory that the catalogue now contains.
  bool take_loaded();

  /// True if the catalogue has all changes of a business up to `epoch`, for which `follow` was called.
  bool has_read(const Guid& business, std::uint64_t epoch) const;
  /// True if it has all changes of a business that were found so far.
  bool is_current(const Guid& business) const { return !reads_all_ && !behind_.contains(business); }
  /// True if it has all changes of a business up to a time at or after `time`, by the clock of the database.
  bool has_read_since(const Guid& business, Time time) const;
  /// The businesses with changes that are still to be read.
  std::vector<Guid> behind() const;
  /// The businesses that are behind and whose changes have not been read even once since they fell behind.
  std::vector<Guid> unread() const;
  bool any_behind() const { return reads_all_ || !behind_.empty(); }

  /// Makes the next `follow` read again which businesses are suspended. Needed for new shards: another worker
  /// may have set events of theirs aside.
  void took_shards() {
    rereads_suspended_ = true;
    resumed_.clear();
  }

  /// True for a business whose new events are set aside: it is suspended, or was resumed and has earlier
  /// events that are not matched yet.
  bool sets_aside(const Guid& business) const { return aside_.contains(business); }
  /// A resumed business that may still have events that were set aside, and whose changes up to these are
  /// read; nullopt if there is none.
  std::optional<Guid> resumed_business() const;
  /// Notes that no event of a resumed business is set aside any more.
  void caught_up(const Guid& business) {
    resumed_.erase(business);
    aside_.erase(business);
  }

  /// True while every living worker can render runs that are queued without their texts. Queries the database
  /// at most once a second.
  bool may_defer(storage::Session& session, Time now);

 private:
  /// A business with changes that are not read.
  struct Behind {
    std::uint64_t reached;  // the catalogue has all its changes up to this epoch
    std::uint64_t wanted;   // its last change that was found
    Time as_of{};           // the catalogue has all its changes up to this time
  };

  void read_all(storage::Session& session);
  void find_changes(storage::Session& session, std::uint64_t epoch);
  void read_suspended(storage::Session& session);
  void apply(WorkflowLoader::Loaded loaded);
  void note_reached();

  Catalogue& catalogue_;
  PauseWriter& pauses_;
  WorkflowLoader& loader_;
  std::uint64_t seen_epoch_ =
      0;  // the changes up to here are in the catalogue, or their businesses in behind_
  bool was_connected_ = false;
  bool reads_all_ = true;
  bool rereads_suspended_ = true;
  std::unordered_map<Guid, Behind> behind_;
  // Resumed businesses, each with an epoch that covers the events that other workers set aside. Their events
  // are matched once the changes up to it are read.
  std::unordered_map<Guid, std::uint64_t> resumed_;
  std::unordered_set<Guid> aside_;  // suspended businesses, and resumed ones that have not caught up
  Time last_census_{};
  bool may_defer_ = false;
};

}  // namespace waybill::worker
