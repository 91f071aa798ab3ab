#include "tests/simulate/simulation.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <sodium.h>

#include "base/observe.hpp"
#include "storage/runs/run.hpp"
#include "tests/simulate/checks.hpp"
#include "tests/simulate/simulated_worker.hpp"

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;
using Kind = Step::Kind;

constexpr std::size_t most_steps = 3'000'000;
constexpr std::size_t records_of_business = 3;
constexpr Duration longest_rest = 150s;  // until all is done, after the last step

/// The random numbers of the simulation, for guids and pauses of the workers.
Random* numbers = nullptr;

std::uint32_t next_number() { return numbers == nullptr ? 0 : static_cast<std::uint32_t>(numbers->next()); }

void fill(void* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    static_cast<unsigned char*>(bytes)[i] = static_cast<unsigned char>(next_number());
}

/// Lets the workers draw their random numbers from the seed. libsodium itself draws some when it is first
/// used: now, so that the first simulation of a process is like the others.
void use_seeded_numbers() {
  static randombytes_implementation implementation = {.implementation_name = [] { return "simulation"; },
                                                      .random = next_number,
                                                      .stir = nullptr,
                                                      .uniform = nullptr,
                                                      .buf = fill,
                                                      .close = nullptr};
  randombytes_set_implementation(&implementation);
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be used");
}

/// A workflow that a business can have.
struct WorkflowKind {
  enum class Action : std::uint8_t { webhook, steps, mail, field, status, awaits };
  const char* trigger;
  Action action = Action::webhook;
  bool ordered = false;
  bool delayed = false;
  const char* conditions = "{}";
  std::optional<const char*> cancel_on = std::nullopt;
  unsigned chance = 50;  // percent of the businesses that have it from the beginning
};

using Action = WorkflowKind::Action;
constexpr auto kinds = std::to_array<WorkflowKind>(
    {{.trigger = "order_updated", .ordered = true, .chance = 100},
     {.trigger = "order_created"},
     {.trigger = "order_updated", .action = Action::steps},
     {.trigger = "order_created", .ordered = true, .delayed = true},
     {.trigger = "order_updated", .action = Action::mail, .chance = 80},
     {.trigger = "order_created", .action = Action::steps},
     {.trigger = "order_updated", .action = Action::steps, .ordered = true},
     {.trigger = "order_created", .action = Action::mail, .chance = 80},
     {.trigger = "order_created", .action = Action::field, .chance = 30},
     {.trigger = "order_updated", .action = Action::status, .chance = 20},
     {.trigger = R"(6:order_updated:{"every":"PT2S","max":4})", .chance = 30},
     {.trigger = R"(6:order_created:{"by":"status","quiet":"PT1S","atMost":"PT3S"})", .chance = 20},
     {.trigger = "timer:order.collectionDate:PT1S", .conditions = R"({"status":"pending"})", .chance = 40},
     {.trigger = "5:order_created", .action = Action::awaits, .chance = 40},
     {.trigger = "5:order_created",
      .delayed = true,
      .cancel_on = R"({"triggers":["order_updated"]})",
      .chance = 20}});

/// The broken rules that the parts of workers have reported (base/check.hpp) since it began.
class BrokenRules {
 public:
  bool any() const { return count() != before_; }

 private:
  static std::string count() {
    const std::string text = metrics_text();
    const std::size_t begin = text.find("\nwaybill_broken_rules_total ") + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  const std::string before_ = count();
};

Guid guid_of(const std::string& name) { return Guid::from_name(namespace_url, name); }

class Simulation {
 public:
  explicit Simulation(const Plan& plan)
      : plan_(plan),
        scheduler_(plan.seed),
        history_(scheduler_),
        database_(scheduler_, history_),
        destinations_(scheduler_, [this](const std::string& message, Owner owner) { sent(message, owner); }),
        numbers_(plan.seed ^ 0x67756964U) {}

  Report run();

 private:
  struct Running {
    std::unique_ptr<SimulatedWorker> worker;
    bool is_ending = false;
  };

  void go_through();
  void create_businesses();
  WorkflowRow workflow(std::size_t business, std::size_t number) const;
  Owner start_worker();
  void end_worker(Owner owner, Duration limit);
  std::optional<Owner> worker_at(std::size_t subject) const;
  void perform(const Step& step);
  void write(const Step& step);
  void change_workflow(const Step& step);
  void pause_workflow(const Step& step);
  void crash(const Step& step);
  void kill_session(const Step& step);
  void spoil_destination(const Step& step);
  void replay(const Step& step);
  void switch_mails(const Step& step);
  void sent(const std::string& message, Owner owner);
  bool is_done() const;

  const Plan& plan_;
  // False if sessions end while their worker continues: others then take its work before its lease ends.
  const bool keeps_sessions_ = std::ranges::none_of(plan_.steps, [](const Step& step) {
    return step.kind == Kind::kill_session || step.kind == Kind::restart_database ||
           step.kind == Kind::lose_commit || step.kind == Kind::refuse_commit;
  });
  Scheduler scheduler_;
  History history_;
  Database database_;
  Destinations destinations_;
  Random numbers_;
  std::vector<Guid> businesses_;
  std::map<Owner, Running> workers_;
  std::map<Owner, Guid> guids_;
  std::vector<std::shared_ptr<ModelHttp>> clients_;  // of all workers that ever were
  Owner last_owner_ = 0;
  std::uint64_t last_reference_ = 0;
  MailSwitches mails_on_;
};

WorkflowRow Simulation::workflow(std::size_t business, std::size_t number) const {
  const std::string name = "workflow " + std::to_string(business) + "/" + std::to_string(number);
  const std::string webhook =
      R"({"type":"webhook","recipient":")" + Destinations::url(business + number) +
      R"(","method":"POST","contentType":"application/json","template":null,"headers":{}})";
  const WorkflowKind& kind = kinds.at(number);
  const auto action = [&]() -> std::string {
    switch (kind.action) {
      case Action::webhook:
        break;
      case Action::steps:
        return R"({"type":"steps","steps":[)" + webhook + ',' + webhook + ',' + webhook + "]}";
      case Action::mail:
        return R"({"type":"send_email","recipient":"a@d0.test","subject":"s","body":"b"})";
      case Action::field:
        return R"({"type":"update_record","set":{"notes":"new"}})";
      case Action::status:
        return R"({"type":"update_status","status":"processing"})";
      case Action::awaits:
        return R"({"type":"steps","steps":[{"type":"wait","for":{"triggers":["order_updated"]},"atMost":"PT4S"},)" +
               webhook + "]}";
    }
    return webhook;
  };
  return {.business = businesses_[business],
          .guid = guid_of(name),
          .name = name,
          .trigger = kind.trigger,
          .action = action(),
          .ordered = kind.ordered,
          .delay = kind.delayed ? std::optional<std::string>("PT1S") : std::nullopt,
          .created_at = scheduler_.time(),
          .conditions = kind.conditions,
          .cancel_on = kind.cancel_on};
}

void Simulation::create_businesses() {
  for (std::size_t i = 0; i < plan_.businesses; ++i) {
    businesses_.push_back(guid_of("business " + std::to_string(i)));
    for (std::size_t number = 0; number < kinds.size(); ++number) {
      if (numbers_.chance(kinds.at(number).chance)) database_.change_workflow(workflow(i, number));
    }
  }
}

Owner Simulation::start_worker() {
  const Owner owner = ++last_owner_;
  const Guid guid = guid_of("worker " + std::to_string(owner));
  scheduler_.set_skew(owner, numbers_.between(0us, 4ms) - 2ms);
  guids_.emplace(owner, guid);
  auto http = std::make_shared<ModelHttp>(destinations_);
  clients_.push_back(http);
  history_.add("worker " + guid.to_string().substr(0, 8) + " starts");
  Running& running = workers_[owner];
  scheduler_.join(scheduler_.start(owner, [&, http] {
    running.worker = std::make_unique<SimulatedWorker>(database_, destinations_, http, owner, guid);
    running.worker->start();
  }));
  return owner;
}

/// Stops a worker and waits for its end.
void Simulation::end_worker(Owner owner, Duration limit) {
  Running& running = workers_.at(owner);
  running.is_ending = true;
  scheduler_.go_on(owner);
  scheduler_.join(scheduler_.start(owner, [&] {
    running.worker->stop(scheduler_.now() + limit);
    running.worker.reset();
  }));
  workers_.erase(owner);
}

std::optional<Owner> Simulation::worker_at(std::size_t subject) const {
  std::vector<Owner> alive;
  for (const auto& [owner, running] : workers_) {
    if (running.worker && !running.is_ending) alive.push_back(owner);
  }
  if (alive.empty()) return std::nullopt;
  return alive[subject % alive.size()];
}

void Simulation::write(const Step& step) {
  const std::size_t business = step.subject % businesses_.size();
  const SessionPtr session = database_.connect(world, "writer");
  session->is_hidden = step.kind == Kind::hide_write;
  database_.begin(*session);
  // In the order of the records, so that writers do not wait for each other in a circle.
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < step.count; ++i) places.insert((step.detail + i) % records_of_business);
  // A look passes over all of its events, so their order holds, but later events of the record could overtake
  // them.
  if (session->is_hidden) places = {records_of_business + static_cast<std::size_t>(step.at.count())};
  std::vector<Guid> records;
  for (const std::size_t number : places) {
    records.push_back(guid_of("record " + std::to_string(business) + "/" + std::to_string(number)));
    database_.lock_record(*session, records.back());
  }
  for (std::size_t i = 0; i < step.count; ++i) {
    const Guid& record = records[i % records.size()];
    Record state = database_.record_of(*session, record).value_or(Record());
    state.reference = std::to_string(++last_reference_);
    if (step.also == Step::Also::schedules)  // the API's times have milliseconds
      state.collection = std::chrono::floor<std::chrono::milliseconds>(scheduler_.time()) +
                         std::chrono::milliseconds(500 * (1 + step.detail + i));
    if (step.also == Step::Also::unschedules) state.collection.reset();
    if (step.also == Step::Also::ships) state.status = "shipped";
    database_.write_record(*session, businesses_[business], record, std::move(state));
    if (!session->is_hidden) scheduler_.sleep(step.length / static_cast<std::int64_t>(step.count));
  }
  if (session->is_hidden) scheduler_.sleep(step.length);
  if (step.commits)
    database_.commit(*session);
  else
    database_.roll_back(*session);
}

void Simulation::change_workflow(const Step& step) {
  const std::size_t business = step.subject % businesses_.size();
  if (step.kind == Kind::add_workflow) {
    WorkflowRow row = workflow(business, step.detail % kinds.size());
    if (!database_.workflows().contains(row.guid)) database_.change_workflow(std::move(row));
    return;
  }
  std::vector<WorkflowRow> all;
  for (const auto& [guid, row] : database_.workflows()) {
    if (row.business == businesses_[business]) all.push_back(row);
  }
  WorkflowRow changed = std::move(all.at(step.detail % all.size()));
  ++changed.version;
  database_.change_workflow(std::move(changed));
}

/// Pauses a workflow for a while. The request that resumes it queues few of its held runs.
void Simulation::pause_workflow(const Step& step) {
  constexpr std::size_t most_released = 2;
  const std::size_t business = step.subject % businesses_.size();
  std::vector<Guid> all;
  for (const auto& [guid, row] : database_.workflows()) {
    if (row.business == businesses_[business]) all.push_back(guid);
  }
  const Guid& workflow = all.at(step.detail % all.size());
  const auto set_paused = [&](bool paused) {
    WorkflowRow row = database_.workflows().at(workflow);
    row.paused = paused;
    database_.change_workflow(std::move(row));
  };
  set_paused(true);
  scheduler_.sleep(step.length);
  set_paused(false);
  scheduler_.sleep(numbers_.between(0us, 2ms));
  database_.release_runs(workflow, most_released);
}

void Simulation::crash(const Step& step) {
  const auto owner = worker_at(step.subject);
  if (!owner) return;
  if (step.kind == Kind::leave) {
    end_worker(*owner, 2s);
  } else {
    history_.add("worker " + guids_.at(*owner).to_string().substr(0, 8) + " crashes");
    database_.cut_off(*owner);
    workers_.at(*owner).worker->cut_off();
    end_worker(*owner, 0s);
  }
  scheduler_.sleep(step.length);
  start_worker();
}

void Simulation::kill_session(const Step& step) {
  const auto owner = worker_at(step.subject);
  if (!owner) return;
  constexpr const char* names[] = {"waybill matcher",   "waybill recorder",    "waybill leases",
                                   "waybill workflows", "waybill preparation", "waybill duties"};
  database_.kill(*owner, names[step.detail % std::size(names)]);
}

void Simulation::spoil_destination(const Step& step) {
  constexpr Destinations::Health healths[] = {Destinations::Health::failing, Destinations::Health::silent,
                                              Destinations::Health::slow, Destinations::Health::losing};
  destinations_.set_health(step.subject, healths[step.detail % std::size(healths)]);
  scheduler_.sleep(step.length);
  destinations_.set_health(step.subject, Destinations::Health::good);
}

/// Queues a finished run of a business again, of those with mails or of the others.
void Simulation::replay(const Step& step) {
  std::vector<const RunRow*> runs;
  for (const auto& [guid, run] : database_.finished()) {
    const bool is_mail = run.action == "send_email";
    if (run.business == businesses_[step.subject % businesses_.size()] && !run.replay_of && !run.steps &&
        run.event > 0 && !run.watch_after && !run.action.starts_with("update_") &&
        is_mail == (step.kind == Kind::switch_mails))
      runs.push_back(&run);
  }
  if (runs.empty()) return;
  for (std::size_t i = 0; i < step.count; ++i)
    database_.replay(*runs[(step.detail + i) % runs.size()],
                     guid_of("replay " + std::to_string(database_.replays().size())));
}

void Simulation::switch_mails(const Step& step) {
  const Guid& business = businesses_[step.subject % businesses_.size()];
  database_.switch_mails(business, false);
  scheduler_.sleep(step.length);
  database_.switch_mails(business, true);
  mails_on_[business] = scheduler_.time();
  replay(step);
}

void Simulation::perform(const Step& step) {
  scheduler_.sleep(step.at);
  if (step.kind != Kind::write) history_.add(describe(step));
  DatabaseFaults& faults = database_.faults();
  switch (step.kind) {
    case Kind::write:
    case Kind::hide_write:
      write(step);
      break;
    case Kind::pause_workflow:
      pause_workflow(step);
      break;
    case Kind::replay:
      replay(step);
      break;
    case Kind::change_workflow:
    case Kind::add_workflow:
      change_workflow(step);
      break;
    case Kind::switch_mails:
      switch_mails(step);
      break;
    case Kind::crash:
    case Kind::leave:
      crash(step);
      break;
    case Kind::join:
      start_worker();
      break;
    case Kind::stop:
      if (const auto owner = worker_at(step.subject)) {
        scheduler_.stop(*owner);
        scheduler_.sleep(step.length);
        scheduler_.go_on(*owner);
      }
      break;
    case Kind::kill_session:
      kill_session(step);
      break;
    case Kind::lose_commit:
    case Kind::refuse_commit:
      if (const auto owner = worker_at(step.subject))
        database_.lose_commit(*owner, step.kind == Kind::lose_commit, step.length);
      break;
    case Kind::restart_database:
      faults.is_down = true;
      database_.kill_all();
      scheduler_.sleep(step.length);
      faults.is_down = false;
      break;
    case Kind::lose_notifications:
      faults.loses_notifications = true;
      scheduler_.sleep(step.length);
      faults.loses_notifications = false;
      break;
    case Kind::slow_database:
      faults.slowness = 30;
      scheduler_.sleep(step.length);
      faults.slowness = 1;
      break;
    case Kind::spoil_destination:
      spoil_destination(step);
      break;
  }
}

/// An attempt begins: checks whether it may.
void Simulation::sent(const std::string& message, Owner owner) {
  const Guid worker = guids_.at(owner);
  history_.add("worker " + worker.to_string().substr(0, 8) + " sends " + message.substr(message.size() - 12));
  check_attempt(database_, destinations_, message, owner, worker, scheduler_.time(), keeps_sessions_);
}

bool Simulation::is_done() const { return all_done(database_); }

void Simulation::go_through() {
  create_businesses();
  for (std::size_t i = 0; i < plan_.workers; ++i) start_worker();
  scheduler_.start(world, [this] {
    for (;;) {
      scheduler_.sleep(250ms);
      database_.end_idle();
    }
  });
  std::vector<Scheduler::FiberId> steps;
  for (const Step& step : plan_.steps)
    steps.push_back(scheduler_.start(world, [this, &step] { perform(step); }));
  for (const Scheduler::FiberId step : steps) scheduler_.join(step);
  if (workers_.empty()) start_worker();
  const auto end = scheduler_.now() + longest_rest;
  while (!is_done() && scheduler_.now() < end) scheduler_.sleep(200ms);
  check_end(database_, destinations_, mails_on_, scheduler_.time(),
            std::ranges::none_of(plan_.steps, is_fault));
  while (const auto owner = worker_at(0)) end_worker(*owner, 1s);
}

Report Simulation::run() {
  numbers = &numbers_;
  Report report;
  try {
    scheduler_.run([this] { go_through(); }, most_steps);
  } catch (const std::exception& error) {
    database_.violated(std::string("the simulation ends: ") + error.what());
    // Their threads have not ended.
    for (auto& [owner, running] : workers_) static_cast<void>(running.worker.release());
  }
  numbers = nullptr;
  report.broken = database_.violations();
  report.history = history_.lines();
  report.events = database_.events().size();
  report.attempts = destinations_.arrivals().size();
  report.steps = scheduler_.steps();
  return report;
}

/// Simulates a plan without a look at BrokenRules.
Report run(const Plan& plan) {
  use_seeded_numbers();
  return Simulation(plan).run();
}

/// True if `check`, in a process of its own, returns true and does not crash.
template <std::predicate Check>
bool succeeds_apart(Check check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Report simulate(const Plan& plan) {
  const BrokenRules rules;
  Report report = run(plan);
  if (rules.any()) report.broken.emplace_back("a rule of base/check.hpp is broken");
  return report;
}

bool holds(const Plan& plan) {
  return succeeds_apart([&] { return simulate(plan).broken.empty(); });
}

std::optional<std::uint64_t> first_failing(std::uint64_t first, std::uint64_t count) {
  const auto all_hold = [&] {
    const BrokenRules rules;  // of all of them, because each look writes all metrics
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      if (!run(make_plan(seed)).broken.empty()) return false;
    }
    return !rules.any();
  };
  if (succeeds_apart(all_hold)) return std::nullopt;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (!holds(make_plan(seed))) return seed;
  }
  throw std::runtime_error("seeds fail together that hold alone, from " + std::to_string(first));
}

Plan shrink(Plan plan) {
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    Plan fewer = plan;
    fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(i));
    if (!holds(fewer)) plan = std::move(fewer);
  }
  return plan;
}

std::string text_of(const Plan& plan, const Report& report) {
  std::string text = "seed " + std::to_string(plan.seed) + ", " + std::to_string(plan.businesses) +
                     " businesses, " + std::to_string(plan.workers) + " workers\n";
  for (const Step& step : plan.steps) text += "  step " + describe(step) + '\n';
  for (const std::string& line : report.history) text += "  " + line + '\n';
  for (const std::string& rule : report.broken) text += "broken: " + rule + '\n';
  return text;
}

}  // namespace waybill::simulate
