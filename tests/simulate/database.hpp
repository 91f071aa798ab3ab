#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/events/leases.hpp"
#include "storage/session/link.hpp"
#include "tests/simulate/scheduler.hpp"
#include "tests/simulate/sql_values.hpp"
#include "tests/simulate/table.hpp"

namespace waybill::simulate {

/// A change of a record: the row of `events` and of `pending_events`.
struct Event {
  std::uint64_t id;
  Time at;
  Guid business;
  Guid record;
  bool created;        // false: changed
  std::string before;  // empty if it was created
  std::string after;
  Xid writer;
};

/// A row of `workflows`, of orders.
struct WorkflowRow {
  Guid business;
  Guid guid;
  std::string name;
  std::string trigger;
  std::string action;
  bool ordered = false;
  bool paused = false;
  bool deleted = false;
  std::optional<std::string> delay;
  bool email_enabled = true;  // of its business
  int version = 1;
  std::uint64_t epoch = 0;
  Time created_at;
};

/// A row of `run_queue`, and of `runs` once it is final.
struct RunRow {
  Guid business, guid, workflow;
  std::int64_t version, event;
  std::int64_t entity_type;
  Guid record;
  std::string trigger, action, status;
  std::optional<std::string> code, error;
  std::int64_t attempts;
  Time created_at;
  Guid origin;
  std::optional<Guid> replay_of;
  std::string destination, request;
  std::optional<std::string> body;
  std::string tries;
  Time due;  // finished_at of a final run
  bool ordered = false;
  std::optional<std::int64_t> depth;
  std::optional<Guid> lease_owner;
  std::optional<std::int64_t> ordered_from;
  std::optional<std::string> steps;
};

/// The history of a simulation: what was committed, sent and broken, in order.
class History {
 public:
  explicit History(const Scheduler& scheduler) : scheduler_(scheduler) {}
  void add(const std::string& line);
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  const Scheduler& scheduler_;
  std::vector<std::string> lines_;
};

/// The faults of the database that a simulation turns on and off.
struct DatabaseFaults {
  bool loses_notifications = false;
  bool is_down = false;
  unsigned slowness = 1;  // the factor of the time of statements
};

/// A connection to the model of the database.
struct ServerSession {
  Owner owner;
  std::string name;
  bool alive = true;
  bool in_work = false;
  bool has_failed = false;  // the transaction is aborted
  Xid xid = 0;
  bool notifies = false;             // the transaction notifies of events
  bool loses_next_commit = false;    // it is committed, and the answer is lost
  bool refuses_next_commit = false;  // the connection ends before it
  Duration lock_limit = std::chrono::milliseconds(500);
  Scheduler::Moment last_used{};
  std::set<std::string> channels;
  std::set<std::string> notified;
  int socket = -1;
};
using SessionPtr = std::shared_ptr<ServerSession>;

/// A model of the database as a worker sees it: the tables that its statements read and write, transactions,
/// snapshots, locks of rows, sessions, notifications and leases. A statement takes time before and after it,
/// and is done in one moment in between; that it waits for a lock, or that its answer is lost, follows from
/// the other sessions and the faults.
class Database {
 public:
  Database(Scheduler& scheduler, History& history);

  /// Connections of a worker's threads.
  std::unique_ptr<storage::Link> open(Owner owner, std::string_view name);
  std::unique_ptr<storage::Leases> open_leases(Owner owner, const Guid& worker, Duration lease);

  // The actions of the world around the workers.

  SessionPtr connect(Owner owner, std::string_view name);
  void begin(ServerSession& session) { session.in_work = true; }
  /// Writes an event with the next number.
  const Event& write_event(ServerSession& session, const Guid& business, const Guid& record, bool created);
  void commit(ServerSession& session);
  void roll_back(ServerSession& session);
  /// Waits until no other transaction changes the record.
  void lock_record(ServerSession& session, const Guid& record);
  void change_workflow(WorkflowRow row);
  void switch_mails(const Guid& business, bool enabled);
  /// Queues a run again, as a replay.
  void replay(const RunRow& run, const Guid& guid);
  const std::map<Guid, WorkflowRow>& workflows() const { return workflows_; }

  /// Ends the sessions of an owner, all or those with a name, as their server processes would end.
  void kill(Owner owner, std::string_view name = "");
  void kill_all();
  /// Ends the sessions of an owner and lets it open no others.
  void cut_off(Owner owner);
  /// Ends the sessions that are idle in a transaction for too long.
  void end_idle();
  /// Lets the next commit of an owner's recorder be lost, or not happen. It connects again after `length`.
  void lose_commit(Owner owner, bool happens, Duration length);
  DatabaseFaults& faults() { return faults_; }

  // Committed rows, for the checks.

  const std::map<std::uint64_t, Event>& events() const { return events_; }
  const std::map<Guid, RunRow>& finished() const { return finished_; }
  /// The replays, with the runs that they repeat.
  const std::map<Guid, Guid>& replays() const { return replays_; }
  /// The last step that a run has ever had in the queue.
  std::int64_t last_step(const Guid& run) const;
  const std::vector<std::string>& violations() const { return violations_; }
  void violated(std::string rule);
  std::size_t pending() const { return pending_.versions().size(); }
  std::vector<RunRow> queued() const;
  /// The end of a worker's last lease; Time::min() if it had none.
  Time lease_end(const Guid& worker) const;

 private:
  friend class ModelLink;
  friend class ModelLeases;
  using Statement = storage::Rows (Database::*)(ServerSession&, const Arguments&, Result&);
  using Queue = Table<RunRow>;

  struct Worker {
    SessionPtr session;
    Time started_at;
  };
  struct Shard {
    std::optional<Guid> owner;
    std::uint64_t epoch = 0;
    bool orphaned = false;
  };
  /// A lock that a statement must wait for.
  struct Locked {
    Xid holder;
  };
  /// The outcome of a run in the parameters of a statement.
  struct Outcome;

  void travel(ServerSession& session);
  template <typename Work>
  storage::Rows perform(ServerSession& session, Work work);
  void end(ServerSession& session);
  void finish(ServerSession& session, bool commits);
  Xid own(ServerSession& session);
  void notify(const std::string& channel);
  bool lives(const Guid& worker) const;
  static const std::map<std::string_view, Statement>& statements();
  static Scheduler::Key key_of(Xid xid);

  // The statements, by room of storage/sql.
  storage::Rows scan(ServerSession&, const Arguments&, Result&);
  storage::Rows fetch(ServerSession&, const Arguments&, Result&);
  storage::Rows origin(ServerSession&, const Arguments&, Result&);
  storage::Rows current(ServerSession&, const Arguments&, Result&);
  storage::Rows settle(ServerSession&, const Arguments&, Result&);
  storage::Rows columns(ServerSession&, const Arguments&, Result&);
  storage::Rows no_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows no_closings(ServerSession&, const Arguments&, Result&);
  storage::Rows changed_workflows(ServerSession&, const Arguments&, Result&);
  storage::Rows changed_businesses(ServerSession&, const Arguments&, Result&);
  storage::Rows set_idle(ServerSession&, const Arguments&, Result&);
  storage::Rows all_render(ServerSession&, const Arguments&, Result&);
  storage::Rows claim(ServerSession&, const Arguments&, Result&);
  storage::Rows next_due(ServerSession&, const Arguments&, Result&);
  storage::Rows highest_floors(ServerSession&, const Arguments&, Result&);
  storage::Rows finish_runs(ServerSession&, const Arguments&, Result&);
  storage::Rows reschedule(ServerSession&, const Arguments&, Result&);
  storage::Rows begin_steps(ServerSession&, const Arguments&, Result&);
  storage::Rows go_on(ServerSession&, const Arguments&, Result&);
  storage::Rows unblock(ServerSession&, const Arguments&, Result&);
  storage::Rows hold(ServerSession&, const Arguments&, Result&);
  storage::Rows locked(ServerSession&, const Arguments&, Result&);
  storage::Rows release(ServerSession&, const Arguments&, Result&);
  storage::Rows definitions(ServerSession&, const Arguments&, Result&);
  storage::Rows nothing(ServerSession&, const Arguments&, Result&);
  void copy(ServerSession& session, const std::string& target, std::string_view rows);

  bool may_go(const RunRow& row, Xid own) const;
  std::set<std::string> open_destinations(const Arguments& args, std::size_t blocked_destinations,
                                          std::size_t blocked_businesses) const;
  std::vector<Outcome> outcomes(const Arguments& args) const;
  Queue::Version* find_run(ServerSession& session, const Guid& run);
  Queue::Version* held_run(ServerSession& session, const Guid& worker, const Guid& run, std::int64_t step);
  std::map<std::size_t, Queue::Version*> held_runs(ServerSession& session, const Guid& worker,
                                                   const std::vector<Guid>& runs,
                                                   const std::vector<std::int64_t>& stored);
  void free_runs(const std::set<Guid>& lost);

  Scheduler& scheduler_;
  History& history_;
  DatabaseFaults faults_;
  std::vector<std::string> violations_;

  std::vector<SessionPtr> sessions_;  // those that are alive
  std::set<Owner> cut_off_;
  std::map<Owner, Scheduler::Moment> recorders_wait_;  // until then they cannot connect
  Xid next_xid_ = 1000;
  Xid latest_completed_ = 999;
  std::set<Xid> running_;
  std::uint64_t last_event_ = 0;  // the sequence event_ids
  std::map<Guid, Xid> record_locks_;

  std::map<std::uint64_t, Event> events_;  // committed ones
  Table<Event> pending_;
  Queue queue_;
  Table<RunRow> runs_;  // that open transactions finish
  std::map<Guid, RunRow> finished_;
  std::map<Guid, Guid> replays_;
  std::map<Guid, std::int64_t> last_steps_;
  std::map<Guid, WorkflowRow> workflows_;
  std::uint64_t workflow_epoch_ = 0;

  std::map<Guid, Worker> workers_;
  std::map<Guid, Time> beats_;        // the ends of leases, also of workers that are deleted
  std::map<Guid, SessionPtr> names_;  // the sessions with the advisory locks of workers
  std::map<Guid, bool> idle_;
  std::array<Shard, storage::shard_count> shards_;
};

/// The step that a run has in the queue; 0 if none has begun.
std::int64_t step_of(const RunRow& row);

/// The shard of a business.
std::int16_t shard_of(const Guid& business);

}  // namespace waybill::simulate
