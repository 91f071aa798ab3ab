#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/events/leases.hpp"
#include "storage/session/link.hpp"
#include "tests/simulate/rows.hpp"
#include "tests/simulate/scheduler.hpp"
#include "tests/simulate/sql_values.hpp"
#include "tests/simulate/table.hpp"

namespace waybill::simulate {

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
  bool wakes = false;                // the transaction makes runs due
  bool is_hidden = false;            // no snapshot lists its transactions
  bool loses_next_commit = false;    // it is committed, and the answer is lost
  bool refuses_next_commit = false;  // the connection ends before it
  Duration lock_limit = std::chrono::milliseconds(500);
  Scheduler::Moment last_used{};
  Time began{};  // its transaction
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
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// The database of the running simulation, which blocking connections reach (libpq.cpp).
  static Database& active();

  /// Connections of a worker's threads.
  std::unique_ptr<storage::Link> open(Owner owner, std::string_view name);
  std::unique_ptr<storage::Leases> open_leases(Owner owner, const Guid& worker, Duration lease);

  // The actions of the world around the workers.

  SessionPtr connect(Owner owner, std::string_view name);
  void begin(ServerSession& session) {
    session.in_work = true;
    session.began = scheduler_.time();
  }
  /// Writes the new state of a record whose lock the session has, and its event with the next number.
  void write_record(ServerSession& session, const Guid& business, const Guid& record, Record after,
                    std::optional<std::string> cause = std::nullopt);
  /// The record as the session sees it; nullopt if it does not exist.
  std::optional<Record> record_of(const ServerSession& session, const Guid& record) const;
  void commit(ServerSession& session);
  void roll_back(ServerSession& session);
  /// Waits until no other transaction changes the record.
  void lock_record(ServerSession& session, const Guid& record);
  void change_workflow(WorkflowRow row);
  void switch_mails(const Guid& business, bool enabled);
  /// Queues a run again, as a replay.
  void replay(const RunRow& run, const Guid& guid);
  /// Queues the oldest held runs of a workflow, as the API does when it is resumed.
  void release_runs(const Guid& workflow, std::size_t limit);
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
  /// The digests of events, by event and workflow.
  const std::map<std::pair<std::int64_t, Guid>, Guid>& digest_events() const { return digest_events_; }
  /// The lists of the runs of digests, by digest.
  std::map<Guid, std::string> lists() const;
  bool has_list(const Guid& run) const;
  bool has_open_digests() const { return !digests_.versions().empty(); }
  /// When an event was committed.
  Time committed_at(std::uint64_t event) const { return committed_at_.at(event); }
  /// When a run was last claimed, if it had no texts and so was prepared for its attempt. Otherwise
  /// Time::min().
  Time unprepared_at(const Guid& run) const;
  /// The runs of timers that have fired.
  const std::map<Guid, TimerResult>& timer_runs() const { return timer_runs_; }
  std::vector<TimerResult> timer_results() const;
  bool has_timers() const { return !timers_.versions().empty() || !timer_scans_.versions().empty(); }
  const std::map<Guid, Record>& records() const { return records_; }
  /// How often the change of a run was made.
  std::size_t changes_of(const Guid& run) const;
  /// The last step that a run has ever had in the queue.
  std::int64_t last_step(const Guid& run) const;
  const std::vector<std::string>& violations() const { return violations_; }
  void violated(std::string rule);
  std::size_t pending() const { return pending_.versions().size(); }
  bool has_queued() const;
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
  static const std::unordered_map<std::string_view, Statement>& statements();
  static Scheduler::Key key_of(Xid xid);

  // The statements, by room of storage/sql.
  storage::Rows scan(ServerSession&, const Arguments&, Result&);
  storage::Rows fetch(ServerSession&, const Arguments&, Result&);
  storage::Rows origin(ServerSession&, const Arguments&, Result&);
  storage::Rows current(ServerSession&, const Arguments&, Result&);
  storage::Rows settle(ServerSession&, const Arguments&, Result&);
  storage::Rows columns(ServerSession&, const Arguments&, Result&);
  storage::Rows look_for_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows due_businesses(ServerSession&, const Arguments&, Result&);
  storage::Rows open_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows write_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows claim_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows postpone_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows close_digests(ServerSession&, const Arguments&, Result&);
  storage::Rows close_changed(ServerSession&, const Arguments&, Result&);
  storage::Rows step_texts(ServerSession&, const Arguments&, Result&);
  storage::Rows look_for_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows claim_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows lock_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows set_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows drop_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows postpone_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows finish_timers(ServerSession&, const Arguments&, Result&);
  storage::Rows claim_scan(ServerSession&, const Arguments&, Result&);
  storage::Rows move_scan(ServerSession&, const Arguments&, Result&);
  storage::Rows records_to_scan(ServerSession&, const Arguments&, Result&);
  storage::Rows watched(ServerSession&, const Arguments&, Result&);
  storage::Rows wake_watching(ServerSession&, const Arguments&, Result&);
  storage::Rows cancel_watching(ServerSession&, const Arguments&, Result&);
  storage::Rows later_events(ServerSession&, const Arguments&, Result&);
  storage::Rows change_fields(ServerSession&, const Arguments&, Result&);
  storage::Rows move_orders(ServerSession&, const Arguments&, Result&);
  storage::Rows move_each_order(ServerSession&, const Arguments&, Result&);
  storage::Rows changed_workflows(ServerSession&, const Arguments&, Result&);
  storage::Rows changed_businesses(ServerSession&, const Arguments&, Result&);
  storage::Rows set_idle(ServerSession&, const Arguments&, Result&);
  storage::Rows all_render(ServerSession&, const Arguments&, Result&);
  storage::Rows has_runs(ServerSession&, const Arguments&, Result&);
  storage::Rows claim(ServerSession&, const Arguments&, Result&);
  storage::Rows next_due(ServerSession&, const Arguments&, Result&);
  storage::Rows preceded(ServerSession&, const Arguments&, Result&);
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
  storage::Rows since_turns(ServerSession&, const Arguments&, Result&);
  storage::Rows take_turn(ServerSession&, const Arguments&, Result&);
  storage::Rows note_turn(ServerSession&, const Arguments&, Result&);
  storage::Rows end_turn(ServerSession&, const Arguments&, Result&);
  storage::Rows find_passed_over(ServerSession&, const Arguments&, Result&);
  storage::Rows read_again(ServerSession&, const Arguments&, Result&);
  storage::Rows release_held(ServerSession&, const Arguments&, Result&);
  storage::Rows find_blocked(ServerSession&, const Arguments&, Result&);
  storage::Rows postpone_blocked(ServerSession&, const Arguments&, Result&);
  storage::Rows find_below_floors(ServerSession&, const Arguments&, Result&);
  storage::Rows count_late(ServerSession&, const Arguments&, Result&);
  storage::Rows none_moved(ServerSession&, const Arguments&, Result&);
  storage::Rows nothing(ServerSession&, const Arguments&, Result&);
  void copy(ServerSession& session, const std::string& target, std::string_view rows);

  bool may_go(const RunRow& row, Xid own) const;
  void check_order(const RunRow& run);
  std::set<std::string> open_destinations(const Arguments& args, std::size_t blocked_destinations,
                                          std::size_t blocked_businesses) const;
  std::vector<Outcome> outcomes(const Arguments& args) const;
  Queue::Version* find_run(ServerSession& session, const Guid& run);
  Queue::Version* held_run(ServerSession& session, const Guid& worker, const Guid& run, std::int64_t claim,
                           std::int64_t step);
  std::map<std::size_t, Queue::Version*> held_runs(ServerSession& session, const Guid& worker,
                                                   const std::vector<Guid>& runs,
                                                   const std::vector<std::int64_t>& stored,
                                                   const std::vector<std::int64_t>& claims);
  void free_runs(const std::set<Guid>& lost);
  std::size_t release_runs(ServerSession& session, const Guid& workflow, std::size_t limit);
  void copy_runs(ServerSession& session, const std::string& target, std::string_view rows);
  bool copy_digests(ServerSession& session, const std::string& target, std::string_view rows);
  bool lock_now(ServerSession& session, const Guid& record);
  /// A move to a status from one of the states.
  struct Move {
    std::string status;
    std::vector<std::string> origins;
  };
  std::optional<std::string> move_order(ServerSession& session, const Guid& business, const Guid& record,
                                        const Move& move, const std::string& cause);
  bool has_fired(const ServerSession& session, const Guid& workflow, const Guid& record, Time value,
                 std::int64_t plan) const;
  void commit_rows(Xid xid);
  template <typename Row>
  static std::vector<const Row*> made_by(const Table<Row>& table, Xid xid);

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
  Table<RunRow> runs_;         // that open transactions finish
  Table<MadeChange> changes_;  // that open transactions make
  std::vector<MadeChange> made_changes_;
  std::map<Guid, Record> records_;
  std::map<Guid, Time> left_at_;  // when records left the state pending
  std::map<std::uint64_t, Time> committed_at_;
  std::map<Guid, Time> unprepared_at_;
  Table<DigestRow> digests_;
  Table<DigestItem> items_;
  Table<DigestEvent> collected_;  // by open transactions
  std::map<std::pair<std::int64_t, Guid>, Guid> digest_events_;
  Table<ListText> lists_;
  std::map<Guid, std::pair<std::int64_t, Time>> closings_;  // the version of a workflow, and until when
  Table<TimerRow> timers_;
  Table<TimerResult> timer_results_;
  Table<TimerScanRow> timer_scans_;
  std::map<Guid, TimerResult> timer_runs_;
  std::int64_t last_eventless_ = std::numeric_limits<std::int64_t>::min();
  std::map<Guid, RunRow> finished_;
  std::map<Guid, Guid> replays_;
  std::map<Guid, std::int64_t> last_steps_;
  std::map<Guid, WorkflowRow> workflows_;
  std::uint64_t workflow_epoch_ = 0;

  std::map<Guid, Worker> workers_;
  std::map<Guid, Time> beats_;        // the ends of leases, also of workers that are deleted
  std::map<Guid, Time> matched_;      // the times up to which workers report all events as matched
  std::map<Guid, SessionPtr> names_;  // the sessions with the advisory locks of workers
  std::map<Guid, bool> idle_;
  std::array<Shard, storage::shard_count> shards_;
  struct Turn {
    const ServerSession* session;
    Time taken_at;
  };
  std::map<std::string, Turn> turns_;  // of duties
  std::set<Xid> hidden_;               // the transactions that no snapshot lists
};

/// The binary form of an order.
std::string record_value(const Guid& guid, const Record& record);

/// Adds the columns of storage/sql/outbox/event.inc.
void add_event(Result& result, const Event& event);

/// The status of a run that no worker has: the SQL function pending_status.
std::string pending_status(const RunRow& row);

/// The statement of a name, of those that blocking connections send.
const storage::Statement& blocking_statement(std::string_view name);

/// The shard of a business.
std::int16_t shard_of(const Guid& business);

}  // namespace waybill::simulate
