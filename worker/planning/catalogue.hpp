#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "base/secret_box.hpp"
#include "base/thread/mutex.hpp"
#include "domain/workflows/pacing.hpp"
#include "domain/workflows/switches.hpp"
#include "matching/awaited_events.hpp"
#include "matching/rule.hpp"
#include "matching/steps.hpp"
#include "storage/settings/address_hash.hpp"
#include "storage/settings/workflow_reader.hpp"
#include "worker/planning/destination_names.hpp"

namespace waybill::worker {

/// The time for which runs and events of a workflow that this version cannot read are left to other workers.
inline constexpr Duration unreadable_retry_delay = std::chrono::seconds(5);

/// A workflow as the worker uses it. Immutable; a change replaces it.
struct Workflow {
  Guid guid;
  Guid business_id;
  // Not null. Shared by the workflows of the business that were read with equal settings.
  std::shared_ptr<const storage::BusinessFacts> business = std::make_shared<const storage::BusinessFacts>();
  std::string name;
  matching::Rule rule;
  // The first action of a workflow of several steps, or the action that does nothing.
  const actions::Action* action;
  json::object definition;                             // definition of the action
  std::vector<matching::Step> steps;                   // empty for a workflow of one action
  std::shared_ptr<const json::object> templates = {};  // that its actions use; null without any
  bool shows_tracking_page;                            // its runs may contain links to tracking pages
  bool is_active;
  bool paused;
  bool ordered;
  Duration delay;
  int version;
  Time active_since;
  Time created_at;
  std::vector<net::WebhookSecret> secrets;  // newest first
  std::optional<Time> previous_until;       // the end of validity of the older secret
  actions::Credentials credentials;
  domain::Pacing pacing;
  std::shared_ptr<DestinationNames> destinations = {};  // shared by the workflows of the business
  std::shared_ptr<const storage::AddressHash> address_hash =
      {};                // null: the addresses of mails are not noted
  int timer_plan = 0;    // the version that last changed the timer or schedule; 0 without one
  Time timer_since{};    // the time of that change
  int working_days = 0;  // a delay that counts working days; `delay` is then 0

  std::optional<matching::AwaitedEvents> cancel_on = {};  // the events that cancel its runs
  bool had_watches = false;                   // runs of one of its versions may watch their record
  std::vector<domain::Switch> switches = {};  // oldest first

  /// True if later events of a record concern the runs of this version.
  bool watches() const;
  /// True if it was on at a time, for instance of an event. `now` is the present.
  bool was_on(Time at, Time now) const { return domain::was_on(is_active, active_since, switches, at, now); }
  bool has_delay() const { return delay > Duration::zero() || working_days > 0; }

  /// Sets the action, the definition, the steps and the stored templates that they use, which may be empty.
  /// Throws std::invalid_argument if this version cannot read the action.
  void set_action(json::object action, json::object stored_templates);
};

/// The secrets that sign at `now`, newest first.
std::span<const net::WebhookSecret> valid_secrets(const Workflow& workflow, Time now);

using WorkflowPtr = std::shared_ptr<const Workflow>;

/// A changed workflow, parsed for a catalogue.
struct ParsedWorkflow {
  Guid guid;
  Guid business_id;
  domain::EntityType entity_type;
  bool is_active;
  Time active_since;
  std::vector<domain::Switch> switches;  // oldest first
  bool deleted;
  bool had_watches;                    // runs of one of its versions may watch their record
  std::shared_ptr<Workflow> workflow;  // null if it is deleted or this version cannot read it
};

/// The workflows of all businesses, as of `epoch`. One thread changes it; any thread may read it.
class Catalogue {
 public:
  explicit Catalogue(const SecretBox& secrets) : secrets_(secrets) {}

  /// Reads the key that names the addresses of mails, unless it is known. Workflows that are parsed later
  /// have it. Without a key that `secrets` opens, the addresses of their mails are not noted. Throws
  /// DatabaseUnavailable or StatementError. Any thread.
  void learn_address_hash(storage::Session& session);

  std::uint64_t epoch() const { return epoch_; }

  /// Parses a workflow without applying it. A workflow that this version cannot read (its trigger, conditions
  /// or action come from a newer version or were changed by SQL) is logged. Any thread.
  ParsedWorkflow parse(const storage::StoredWorkflow& stored) const;

  /// Applies some of the changes since `epoch()`, all at once. Workflows that this version cannot read are
  /// kept separately. Returns the workflows that they replace, whose destruction can take as long as parsing.
  std::vector<WorkflowPtr> apply(std::vector<ParsedWorkflow> changed);
  /// Parses and applies changes.
  void apply(const std::vector<storage::StoredWorkflow>& changed);

  /// Notes that all changes up to this epoch have been applied.
  void reached(std::uint64_t epoch) { epoch_ = epoch; }

  /// Removes all workflows that are not in `present`, after these were applied. Needed after the server lost
  /// commits, because it may have reused their epochs for other changes.
  void keep_only(const std::unordered_set<Guid>& present);

  /// Returns null if the workflow does not exist or this version cannot read it.
  WorkflowPtr find(const Guid& workflow) const;

  /// True for a workflow that exists but that this version cannot read. Its events are matched and its runs
  /// are performed once it is readable, or by a worker that can read it.
  bool is_unreadable(const Guid& workflow) const;

  /// The workflows of a business and entity type that this version cannot read and that were on at `at`, the
  /// time of an event. `now` is the present.
  std::vector<Guid> unreadable(const Guid& business, domain::EntityType type, Time at, Time now) const;

  /// The workflows of a business for one entity type that are on, or were switched off after `since`, in the
  /// order of creation.
  std::vector<WorkflowPtr> active(const Guid& business, domain::EntityType type, Time since) const;

  /// The workflows of a business and entity type that have a timer, also those that are switched off.
  std::vector<WorkflowPtr> with_timer(const Guid& business, domain::EntityType type) const;
  /// True if open runs of the business may watch their record, or wait for a label. Runs of workflows that
  /// this version cannot read may do so, too.
  bool may_be_watched(const Guid& business) const;

  /// True if any workflow has a timer.
  bool has_timers() const { return timers_ > 0; }
  /// True if any workflow has a schedule.
  bool has_schedules() const { return schedules_ > 0; }

  /// True if any workflow has a digest.
  bool has_digests() const { return digests_ > 0; }

  /// Sets the suspended businesses, whose runs are held.
  void suspend(std::unordered_set<Guid> businesses);
  bool is_suspended(const Guid& business) const;

 private:
  struct Unreadable {
    Guid business_id;
    domain::EntityType entity_type;
    bool is_active;
    Time active_since;
    std::vector<domain::Switch> switches;
  };
  /// The parts that the workflows of a business share.
  struct Shared {
    std::shared_ptr<DestinationNames> destinations = std::make_shared<DestinationNames>();
    // The settings read last: those of workflows whose texts need the offsets of the time zone, and of
    // others.
    std::weak_ptr<const storage::BusinessFacts> with_offsets, without_offsets;
  };
  std::shared_ptr<const storage::AddressHash> address_hash() const;
  std::shared_ptr<Workflow> read(const storage::StoredWorkflow& stored) const;
  void insert(ParsedWorkflow parsed) REQUIRES(mutex_);
  WorkflowPtr remove(const Guid& workflow) REQUIRES(mutex_);
  void count_unreadable() REQUIRES(mutex_);

  const SecretBox& secrets_;
  std::uint64_t epoch_ = 0;
  mutable SharedMutex mutex_;
  std::unordered_map<Guid, WorkflowPtr> workflows_ GUARDED_BY(mutex_);
  std::unordered_map<Guid, std::vector<WorkflowPtr>> by_business_ GUARDED_BY(mutex_);
  std::atomic<int> timers_ = 0;     // the number of workflows with a timer
  std::atomic<int> schedules_ = 0;  // the number of workflows with a schedule
  std::atomic<int> digests_ = 0;    // the number of workflows with a digest
  std::unordered_map<Guid, Unreadable> unreadable_ GUARDED_BY(mutex_);
  std::atomic<bool> any_unreadable_ = false;
  std::shared_ptr<const storage::AddressHash> address_hash_ GUARDED_BY(mutex_);  // null until it is known
  std::unordered_set<Guid> suspended_ GUARDED_BY(mutex_);
  std::unordered_set<Guid> watching_ GUARDED_BY(mutex_);  // businesses that have had a workflow with watches
  std::atomic<bool> any_watching_ = false;
  std::unordered_map<Guid, Shared> shared_;  // by business; used by the changing thread
};

}  // namespace waybill::worker
