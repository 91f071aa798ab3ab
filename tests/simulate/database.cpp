#include "tests/simulate/database.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "storage/statement/errors.hpp"
#include "tests/simulate/checks.hpp"

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view recorder_name = "waybill recorder";
constexpr auto idle_limit = 2s;  // storage::worker_limits

Database* active_database = nullptr;

}  // namespace

/// A connection of a worker's thread.
class ModelLink final : public storage::Link {
 public:
  ModelLink(Database& database, SessionPtr session) : database_(database), session_(std::move(session)) {}
  ~ModelLink() override { database_.end(*session_); }

  storage::Rows run(const storage::Statement& statement, const storage::Params& params,
                    storage::Format format) override {
    const auto found = Database::statements().find(statement.name);
    if (found == Database::statements().end())
      throw std::logic_error("the model has no statement " + std::string(statement.name));
    const Arguments args(params);
    return database_.perform(*session_, [&] {
      Result result(statement, format, more_columns(statement));
      return (database_.*found->second)(*session_, args, result);
    });
  }
  storage::Rows run_replanned(const storage::Statement& statement, const storage::Params& params) override {
    return run(statement, params, storage::Format::text);
  }
  storage::Rows run_with_fresh_plan(const storage::Statement& statement,
                                    const storage::Params& params) override {
    return run(statement, params, storage::Format::text);
  }
  void stream(const storage::Statement& statement, const storage::Params& params, storage::Format format,
              const TakeRow& take) override {
    const storage::Rows rows = run(statement, params, format);
    for (int row = 0; row < rows.size() && take(rows.slice(row, 1, 0)); ++row) continue;
  }
  storage::Rows execute(const std::string& sql) override;
  void copy(const std::string& target, std::string_view rows) override {
    database_.perform(*session_, [&] {
      database_.copy(*session_, target, rows);
      return storage::Rows();
    });
  }
  int socket() const override { return session_->socket; }
  std::set<std::string> notifications() override {
    if (!session_->alive) throw storage::DatabaseUnavailable("the session has ended");
    database_.scheduler_.take_signal(session_->socket);
    return std::exchange(session_->notified, {});
  }

 private:
  /// The columns of outbox.scan are followed by a whole event, and so are the none of history.after, those of
  /// outbox.fetch and outbox.origin by its records.
  static std::size_t more_columns(const storage::Statement& statement) {
    if (statement.name == "history.after") return 9;
    if (!statement.more_columns) return 0;
    if (statement.name == "outbox.scan") return 9;
    return statement.name == "outbox.current" || statement.name == "timers.records" ? 1 : 2;
  }

  Database& database_;
  SessionPtr session_;
};

storage::Rows ModelLink::execute(const std::string& sql) {
  if (sql == "rollback") {
    if (!session_->alive) throw storage::DatabaseUnavailable("the session has ended");
    database_.finish(*session_, false);
    return {};
  }
  if (sql.starts_with("listen ")) session_->channels.insert(sql.substr(7));
  if (sql.starts_with("set lock_timeout = '"))
    session_->lock_limit = std::chrono::milliseconds(std::stoi(sql.substr(20)));
  if (sql == "reset lock_timeout") session_->lock_limit = 500ms;
  if (sql == "select pg_sleep(3)") {
    database_.travel(*session_);
    database_.scheduler_.sleep(3s);
    database_.travel(*session_);
  }
  if (sql != "begin" && sql != "commit") return {};
  database_.travel(*session_);
  if (sql == "begin") {
    database_.begin(*session_);
    return {};
  }
  if (session_->refuses_next_commit && session_->xid != 0) {
    database_.end(*session_);
    throw storage::DatabaseUnavailable("the connection broke");
  }
  database_.finish(*session_, !session_->has_failed);
  if (session_->loses_next_commit) {
    database_.end(*session_);
    throw storage::DatabaseUnavailable("the connection broke");
  }
  database_.travel(*session_);
  return {};
}

void History::add(const std::string& line) {
  const auto ms = std::chrono::duration_cast<std::chrono::microseconds>(scheduler_.now().time_since_epoch()) -
                  std::chrono::hours(1000);
  lines_.push_back(std::to_string(ms.count()) + " us: " + line);
}

std::int16_t shard_of(const Guid& business) {
  return static_cast<std::int16_t>(business.bytes.back() % storage::shard_count);
}

Database::Database(Scheduler& scheduler, History& history) : scheduler_(scheduler), history_(history) {
  active_database = this;
}

Database::~Database() { active_database = nullptr; }

Database& Database::active() {
  if (active_database == nullptr) throw std::logic_error("there is no simulation");
  return *active_database;
}

Scheduler::Key Database::key_of(Xid xid) { return reinterpret_cast<Scheduler::Key>(xid); }

void Database::violated(std::string rule) {
  history_.add("BROKEN: " + rule);
  violations_.push_back(std::move(rule));
}

SessionPtr Database::connect(Owner owner, std::string_view name) {
  auto session = std::make_shared<ServerSession>();
  session->owner = owner;
  session->name = name;
  session->socket = scheduler_.open_signal();
  session->last_used = scheduler_.now();
  sessions_.push_back(session);
  return session;
}

std::unique_ptr<storage::Link> Database::open(Owner owner, std::string_view name) {
  scheduler_.sleep(scheduler_.random().between(200us, 3ms));
  const auto wait = recorders_wait_.find(owner);
  const bool must_wait =
      name == recorder_name && wait != recorders_wait_.end() && scheduler_.now() < wait->second;
  if (faults_.is_down || cut_off_.contains(owner) || must_wait)
    throw storage::DatabaseUnavailable("the server does not answer");
  return std::make_unique<ModelLink>(*this, connect(owner, name));
}

/// The time of a message between a worker and the server.
void Database::travel(ServerSession& session) {
  if (!session.alive) throw storage::DatabaseUnavailable("the session has ended");
  session.last_used = scheduler_.now();
  Random& random = scheduler_.random();
  const Duration longest = random.chance(2) ? 20ms : 400us;
  scheduler_.sleep(random.between(10us, longest) * static_cast<int>(faults_.slowness));
  if (!session.alive) throw storage::DatabaseUnavailable("the session has ended");
  session.last_used = scheduler_.now();
}

/// Performs a statement in one moment, once no other transaction holds a row that it changes.
template <typename Work>
storage::Rows Database::perform(ServerSession& session, Work work) {
  travel(session);
  if (session.has_failed) throw storage::StatementError("the transaction is aborted", "25P02", "");
  const bool is_alone = !session.in_work;
  const auto deadline = scheduler_.now() + session.lock_limit;
  storage::Rows rows;
  for (;;) {
    Xid holder = 0;
    try {
      rows = work();
    } catch (const Locked& lock) {
      holder = lock.holder;
    } catch (const storage::StatementError&) {
      is_alone ? finish(session, false) : static_cast<void>(session.has_failed = true);
      throw;
    }
    if (holder == 0) break;
    if (scheduler_.now() >= deadline) {
      is_alone ? finish(session, false) : static_cast<void>(session.has_failed = true);
      throw storage::StatementError("canceling statement due to lock timeout", "55P03", "");
    }
    scheduler_.wait(key_of(holder), deadline);
    if (!session.alive) throw storage::DatabaseUnavailable("the session has ended");
    session.last_used = scheduler_.now();
  }
  if (is_alone) finish(session, true);
  travel(session);
  return rows;
}

Xid Database::own(ServerSession& session) {
  if (session.xid == 0) {
    session.xid = next_xid_++;
    (session.is_hidden ? hidden_ : running_).insert(session.xid);
  }
  return session.xid;
}

/// The rows that a transaction has written.
template <typename Row>
std::vector<const Row*> Database::made_by(const Table<Row>& table, Xid xid) {
  std::vector<const Row*> rows;
  for (const auto& version : table.versions()) {
    if (version.made == xid && version.ended != xid) rows.push_back(&version.row);
  }
  return rows;
}

/// The end of an ordered run that was attempted is recorded together with those of the earlier ones, or after
/// them.
void Database::check_order(const RunRow& run) {
  const auto workflow = workflows_.find(run.workflow);
  if (workflow == workflows_.end() || !workflow->second.ordered || run.attempts == 0 || run.replay_of) return;
  for (const auto& [id, event] : events_) {
    if (static_cast<std::int64_t>(id) >= run.event || event.record != run.record) continue;
    const auto earlier = expected_run(event, workflow->second);
    if (earlier && !finished_.contains(*earlier))
      violated("the run of event " + std::to_string(run.event) + " and " + workflow->second.name +
               " is recorded before that of event " + std::to_string(id));
  }
}

/// Notes what becomes visible with a transaction, and that nothing is there twice.
void Database::commit_rows(Xid xid) {
  for (const Event* const event : made_by(pending_, xid)) {
    if (event->before && event->before->status == "pending" && event->after.status != "pending")
      left_at_.emplace(event->record, scheduler_.time());
    records_[event->record] = event->after;
    committed_at_.emplace(event->id, scheduler_.time());
    history_.add("event " + std::to_string(event->id) + " of record " +
                 event->record.to_string().substr(0, 8) + " is committed");
    events_.emplace(event->id, *event);
  }
  const auto ended = made_by(runs_, xid);
  for (const RunRow* const run : ended) {
    history_.add("run " + run->guid.to_string().substr(24) + " of event " + std::to_string(run->event) +
                 " (" + run->action + ") ends: " + run->status + " " + run->code.value_or(""));
    if (!finished_.emplace(run->guid, *run).second)
      violated("run " + run->guid.to_string() + " is final twice");
  }
  for (const RunRow* const run : ended) check_order(*run);
  for (const RunRow* const run : made_by(queue_, xid)) {
    if (!run->steps) continue;
    std::int64_t& last = last_steps_[run->guid];
    last = std::max(last, run->step);
  }
  for (const MadeChange* const change : made_by(changes_, xid)) {
    made_changes_.push_back(*change);
    if (changes_of(change->run) > 1)
      violated("the change of run " + change->run.to_string() + " is made twice");
  }
  for (const TimerResult* const timer : made_by(timer_results_, xid)) {
    history_.add("the timer of record " + timer->record.to_string().substr(0, 8) +
                 " ends: " + timer->reason.value_or("it fires"));
    if (!timer->run) continue;
    const bool is_new = std::ranges::none_of(timer_runs_, [&](const auto& each) {
      const TimerResult& other = each.second;
      return other.workflow == timer->workflow && other.record == timer->record &&
             other.value == timer->value;
    });
    if (!is_new || !timer_runs_.emplace(Guid::parse(*timer->run).value(), *timer).second)
      violated("a timer fires twice");
  }
  for (const DigestEvent* const each : made_by(collected_, xid)) {
    if (!digest_events_.emplace(std::pair(each->event, each->workflow), each->digest).second)
      violated("event " + std::to_string(each->event) + " is in two digests");
  }
}

std::size_t Database::changes_of(const Guid& run) const {
  return static_cast<std::size_t>(std::ranges::count(made_changes_, MadeChange{run}));
}

Time Database::unprepared_at(const Guid& run) const {
  const auto found = unprepared_at_.find(run);
  return found == unprepared_at_.end() ? Time::min() : found->second;
}

void Database::finish(ServerSession& session, bool commits) {
  session.in_work = false;
  session.has_failed = false;
  const Xid xid = std::exchange(session.xid, 0);
  const bool notifies = std::exchange(session.notifies, false);
  const bool wakes = std::exchange(session.wakes, false);
  if (xid == 0) return;
  running_.erase(xid);
  latest_completed_ = std::max(latest_completed_, xid);
  std::erase_if(record_locks_, [&](const auto& lock) { return lock.second == xid; });
  if (commits) {
    commit_rows(xid);
    pending_.commit(xid);
    queue_.commit(xid);
    digests_.commit(xid);
    items_.commit(xid);
    lists_.commit(xid);
    timers_.commit(xid);
    timer_results_.commit(xid);
    timer_scans_.commit(xid);
  } else {
    pending_.roll_back(xid);
    queue_.roll_back(xid);
    digests_.roll_back(xid);
    items_.roll_back(xid);
    lists_.roll_back(xid);
    timers_.roll_back(xid);
    timer_results_.roll_back(xid);
    timer_scans_.roll_back(xid);
  }
  runs_.roll_back(xid);
  changes_.roll_back(xid);
  collected_.roll_back(xid);
  scheduler_.wake_all(key_of(xid));
  if (commits && notifies) notify("waybill_events");
  if (commits && wakes) notify("waybill_queue");
}

void Database::notify(const std::string& channel) {
  if (faults_.loses_notifications) return;
  for (const SessionPtr& session : sessions_) {
    if (!session->channels.contains(channel)) continue;
    session->notified.insert(channel);
    scheduler_.signal(session->socket);
  }
}

void Database::commit(ServerSession& session) { finish(session, true); }

void Database::roll_back(ServerSession& session) { finish(session, false); }

/// The session ends on both sides, and its transaction with it.
void Database::end(ServerSession& session) {
  if (!session.alive) return;
  session.alive = false;
  finish(session, false);
  scheduler_.signal(session.socket);
  std::erase_if(sessions_, [&](const SessionPtr& each) { return each.get() == &session; });
}

void Database::kill(Owner owner, std::string_view name) {
  const auto all = sessions_;
  for (const SessionPtr& session : all) {
    if (session->owner == owner && (name.empty() || session->name == name)) end(*session);
  }
}

void Database::kill_all() {
  const auto all = sessions_;
  for (const SessionPtr& session : all) {
    if (session->owner != world) end(*session);
  }
}

void Database::cut_off(Owner owner) {
  cut_off_.insert(owner);
  kill(owner);
}

void Database::end_idle() {
  const auto all = sessions_;
  for (const SessionPtr& session : all) {
    if (session->owner != world && session->in_work && scheduler_.now() - session->last_used > idle_limit)
      end(*session);
  }
}

void Database::lose_commit(Owner owner, bool happens, Duration length) {
  recorders_wait_[owner] = scheduler_.now() + length;
  for (const SessionPtr& session : sessions_) {
    if (session->owner != owner || session->name != recorder_name) continue;
    (happens ? session->loses_next_commit : session->refuses_next_commit) = true;
  }
}

bool Database::has_queued() const {
  return std::ranges::any_of(queue_.versions(), [](const auto& version) { return version.made == 0; });
}

void Database::change_workflow(WorkflowRow row) {
  row.epoch = ++workflow_epoch_;
  history_.add("workflow " + row.guid.to_string().substr(0, 8) + " has version " +
               std::to_string(row.version) + (row.paused ? ", paused" : ""));
  const bool is_new = !workflows_.contains(row.guid);
  // The triggers close_digests and plan_timer of workflows.
  if (!is_new && row.has_digest())
    closings_[row.guid] = {row.version, scheduler_.time() + std::chrono::minutes(1)};
  if (is_new && row.has_timer())
    timer_scans_.insert(0, {.business = row.business, .workflow = row.guid, .plan = 1, .position = {}});
  workflows_[row.guid] = std::move(row);
  notify("waybill_workflows");
}

void Database::switch_mails(const Guid& business, bool enabled) {
  ++workflow_epoch_;
  history_.add(std::string("mails are switched ") + (enabled ? "on" : "off"));
  for (auto& [guid, row] : workflows_) {
    if (row.business != business) continue;
    row.email_enabled = enabled;
    row.epoch = workflow_epoch_;
  }
  notify("waybill_workflows");
}

void Database::replay(const RunRow& run, const Guid& guid) {
  RunRow replay = run;
  replay.guid = guid;
  replay.replay_of = run.guid;
  replay.status = "queued";
  replay.code.reset();
  replay.error.reset();
  replay.attempts = 0;
  replay.tries = "[]";
  replay.request = "null";
  replay.body.reset();
  replay.created_at = replay.due = scheduler_.time();
  replay.lease_owner.reset();
  replay.ordered_from.reset();
  replay.steps.reset();
  replay.step = 0;
  history_.add("run " + guid.to_string().substr(24) + " is a replay of event " + std::to_string(run.event));
  replays_.emplace(guid, run.guid);
  queue_.insert(0, std::move(replay));
  notify("waybill_queue");
}

std::int64_t Database::last_step(const Guid& run) const {
  const auto found = last_steps_.find(run);
  return found == last_steps_.end() ? 0 : found->second;
}

void Database::lock_record(ServerSession& session, const Guid& record) {
  for (;;) {
    const auto found = record_locks_.find(record);
    if (found == record_locks_.end()) break;
    scheduler_.wait(key_of(found->second));
  }
  record_locks_.emplace(record, own(session));
}

const std::unordered_map<std::string_view, Database::Statement>& Database::statements() {
  static const std::unordered_map<std::string_view, Statement> all = {
      {"outbox.scan", &Database::scan},
      {"outbox.fetch", &Database::fetch},
      {"outbox.origin", &Database::origin},
      {"outbox.current", &Database::current},
      {"outbox.relatives", &Database::nothing},
      {"outbox.settle", &Database::settle},
      {"catalog.columns", &Database::columns},
      {"workflows.changed", &Database::changed_workflows},
      {"workflows.changed_businesses", &Database::changed_businesses},
      {"workflows.add_firings", &Database::nothing},
      {"suspensions.list", &Database::nothing},
      {"history.after", &Database::later_events},
      {"history.feed_key", &Database::nothing},
      {"digests.due_businesses", &Database::due_businesses},
      {"digests.look", &Database::look_for_digests},
      {"digests.open", &Database::open_digests},
      {"digests.write", &Database::write_digests},
      {"digests.claim", &Database::claim_digests},
      {"digests.postpone", &Database::postpone_digests},
      {"digests.close", &Database::close_digests},
      {"digests.close_changed", &Database::close_changed},
      {"timers.look", &Database::look_for_timers},
      {"timers.claim", &Database::claim_timers},
      {"timers.lock", &Database::lock_timers},
      {"timers.set", &Database::set_timers},
      {"timers.drop", &Database::drop_timers},
      {"timers.postpone", &Database::postpone_timers},
      {"timers.finish", &Database::finish_timers},
      {"timers.claim_scan", &Database::claim_scan},
      {"timers.move_scan", &Database::move_scan},
      {"timers.records", &Database::records_to_scan},
      {"record_changes.orders", &Database::change_fields},
      {"status_changes.orders", &Database::move_orders},
      {"status_changes.orders_each", &Database::move_each_order},
      {"leases.set_idle", &Database::set_idle},
      {"leases.all_render_deferred", &Database::all_render},
      {"queue.has_runs", &Database::has_runs},
      {"queue.claim", &Database::claim},
      {"queue.next_due", &Database::next_due},
      {"queue.preceded", &Database::preceded},
      {"queue.highest_floors", &Database::highest_floors},
      {"queue.finish", &Database::finish_runs},
      {"queue.reschedule", &Database::reschedule},
      {"queue.begin_steps", &Database::begin_steps},
      {"queue.go_on", &Database::go_on},
      {"queue.unblock", &Database::unblock},
      {"queue.hold", &Database::hold},
      {"queue.locked", &Database::locked},
      {"queue.release", &Database::release},
      {"queue.definitions_of_versions", &Database::definitions},
      {"queue.find_blocked", &Database::find_blocked},
      {"queue.postpone_blocked", &Database::postpone_blocked},
      {"queue.find_below_floors", &Database::find_below_floors},
      {"queue.watched", &Database::watched},
      {"queue.wake_watching", &Database::wake_watching},
      {"queue.cancel_watching", &Database::cancel_watching},
      {"queue.step_texts", &Database::step_texts},
      {"queue.postponed_workflows", &Database::nothing},
      {"queue.count_finished", &Database::nothing},
      {"alerts.count_failures", &Database::nothing},
      {"audit_log.set_author", &Database::nothing},
      {"duties.since_turns", &Database::since_turns},
      {"duties.take_turn", &Database::take_turn},
      {"duties.note_turn", &Database::note_turn},
      {"duties.end_turn", &Database::end_turn},
      {"duties.find_passed_over", &Database::find_passed_over},
      {"duties.read_again", &Database::read_again},
      {"duties.release_held", &Database::release_held},
      {"duties.end_left_over", &Database::none_moved},
      {"duties.bring_back_retries", &Database::none_moved},
      {"duties.bring_back_waits", &Database::none_moved},
      {"duties.bring_back_due", &Database::count_late},
      {"duties.bring_back_digests", &Database::none_moved},
      {"duties.bring_back_mails", &Database::none_moved},
      {"duties.bring_back_imports", &Database::none_moved},
      {"duties.bring_back_watches", &Database::none_moved},
      {"duties.bring_back_jobs", &Database::none_moved},
      {"duties.bring_back_postponed", &Database::none_moved},
      {"duties.bring_back_pulls", &Database::none_moved},
      {"duties.bring_back_purchases", &Database::none_moved},
  };
  return all;
}

storage::Rows Database::nothing(ServerSession&, const Arguments&, Result& result) { return result.take(); }

}  // namespace waybill::simulate
