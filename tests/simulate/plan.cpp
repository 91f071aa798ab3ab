#include "tests/simulate/plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "tests/simulate/random.hpp"

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;
using Kind = Step::Kind;

constexpr std::array faults = {Kind::crash,
                               Kind::stop,
                               Kind::stop,
                               Kind::leave,
                               Kind::join,
                               Kind::kill_session,
                               Kind::kill_session,
                               Kind::lose_commit,
                               Kind::refuse_commit,
                               Kind::restart_database,
                               Kind::lose_notifications,
                               Kind::slow_database,
                               Kind::spoil_destination,
                               Kind::spoil_destination};

Duration length_of(Kind kind, Random& random) {
  switch (kind) {
    case Kind::stop:
      return random.chance(50) ? random.between(3s, 12s) : random.between(50ms, 3s);
    case Kind::restart_database:
      return random.between(10ms, 3s);
    case Kind::spoil_destination:
      return random.between(500ms, 8s);
    default:
      return random.between(100ms, 2s);
  }
}

/// Shortly after another step, so that they meet, or at any time.
Duration any_time(Random& random, const Plan& plan, Duration longest) {
  if (plan.steps.empty() || random.chance(40)) return random.between(0ms, longest);
  return plan.steps[random.below(plan.steps.size())].at + random.between(0ms, random.chance(50) ? 2ms : 20ms);
}

Step write(Random& random, const Plan& plan, Duration longest) {
  Step step{.kind = Kind::write, .at = random.between(0ms, longest)};
  step.subject = random.below(plan.businesses);
  step.detail = random.below(3);  // the record
  step.count = random.chance(70) ? 1 : 1 + random.below(6);
  step.commits = random.chance(90);
  constexpr std::array also = {Step::Also::nothing, Step::Also::nothing, Step::Also::schedules,
                               Step::Also::unschedules, Step::Also::ships};
  step.also = also.at(random.below(also.size()));
  // Most transactions are short; some are open while others come and go.
  if (random.chance(30))
    step.length = random.chance(30) ? random.between(100ms, 4s) : random.between(0ms, 100ms);
  return step;
}

/// A worker is stopped while it prepares many runs, for so long that others perform them.
void add_stop_during_replays(Random& random, Plan& plan, Duration longest) {
  plan.workers = std::max<std::size_t>(plan.workers, 2);
  for (std::size_t business = 0; business < plan.businesses; ++business)
    plan.steps.push_back({.kind = Kind::replay, .at = longest, .subject = business, .count = 12});
  plan.steps.push_back({.kind = Kind::stop,
                        .at = longest + random.between(0ms, 8ms),
                        .length = random.between(8s, 12s),
                        .subject = random.below(3)});
}

/// The destinations fail for a moment, and commits of the recorders are lost until runs are attempted again.
void add_lost_commits_of_retries(Random& random, Plan& plan) {
  const Duration at = plan.steps[random.below(plan.steps.size())].at;
  for (std::size_t subject = 0; subject < 3; ++subject) {
    plan.steps.push_back({.kind = Kind::spoil_destination,
                          .at = at,
                          .length = random.between(20ms, 150ms),
                          .subject = subject});
    plan.steps.push_back({.kind = Kind::lose_commit,
                          .at = at + random.between(0ms, 30ms),
                          .length = random.between(300ms, 1500ms),
                          .subject = subject});
  }
}

/// A worker that is stopped while it records loses its shards, and takes them again before it records
/// further: the other worker has taken them and crashes.
void add_return_of_shards(Random& random, Plan& plan) {
  plan.workers = 2;
  const Duration at = plan.steps[random.below(plan.steps.size())].at + random.between(0ms, 30ms);
  const Duration length = random.between(8s, 10s);
  plan.steps.push_back({.kind = Kind::stop, .at = at, .length = length, .subject = 0});
  plan.steps.push_back({.kind = Kind::crash,
                        .at = at + length - random.between(100ms, 2s),
                        .length = random.between(4s, 6s),
                        .subject = 1});
  plan.steps.push_back({.kind = Kind::refuse_commit,
                        .at = at + length - 50ms,
                        .length = random.between(500ms, 2s),
                        .subject = 0});
}

}  // namespace

Plan make_plan(std::uint64_t seed) {
  Random random(seed ^ 0x706c616eU);
  Plan plan{.seed = seed, .businesses = 1 + random.below(3), .workers = 1 + random.below(3), .steps = {}};
  const Duration longest = random.between(500ms, 4s);
  for (std::size_t i = 3 + random.below(12); i > 0; --i) plan.steps.push_back(write(random, plan, longest));
  for (std::size_t i = random.below(4); i > 0; --i) {
    constexpr std::array changes = {Kind::change_workflow, Kind::add_workflow, Kind::replay, Kind::replay,
                                    Kind::switch_mails};
    const Kind kind = changes.at(random.below(changes.size()));
    // Mails are sent again once some have been sent.
    const bool is_late = kind == Kind::switch_mails || random.chance(50);
    plan.steps.push_back(
        {.kind = kind,
         .at = is_late ? longest + random.between(0ms, 200ms) : any_time(random, plan, longest),
         .length = random.between(10ms, 1500ms),
         .subject = random.below(plan.businesses),
         .detail = random.below(8),
         .count = 1 + random.below(random.chance(30) ? 12 : 3)});
  }
  for (std::size_t i = random.below(5); i > 0; --i) {
    const Kind kind = faults.at(random.below(faults.size()));
    plan.steps.push_back({.kind = kind,
                          .at = any_time(random, plan, longest),
                          .length = length_of(kind, random),
                          .subject = random.below(3),
                          .detail = random.below(8)});
  }
  if (random.chance(10)) add_stop_during_replays(random, plan, longest);
  if (random.chance(10)) add_lost_commits_of_retries(random, plan);
  for (std::size_t i = random.chance(15) ? 1 + random.below(2) : 0; i > 0; --i)
    plan.steps.push_back({.kind = Kind::pause_workflow,
                          .at = any_time(random, plan, longest),
                          .length = random.between(1ms, random.chance(30) ? 8s : 500ms),
                          .subject = random.below(plan.businesses),
                          .detail = random.below(16)});
  if (random.chance(2))
    plan.steps.push_back({.kind = Kind::hide_write,
                          .at = any_time(random, plan, longest),
                          .length = random.between(50ms, 2s),
                          .subject = random.below(plan.businesses),
                          .count = 1 + random.below(3)});
  if (random.chance(3)) add_return_of_shards(random, plan);
  std::ranges::sort(plan.steps, {}, &Step::at);
  return plan;
}

bool is_fault(const Step& step) {
  constexpr std::array harmless = {Kind::join, Kind::lose_notifications, Kind::lose_commit,
                                   Kind::refuse_commit};
  return step.kind >= Kind::crash && std::ranges::find(harmless, step.kind) == harmless.end();
}

std::string describe(const Step& step) {
  constexpr const char* names[] = {"write",
                                   "replay",
                                   "change workflow",
                                   "add workflow",
                                   "switch mails",
                                   "crash",
                                   "stop",
                                   "leave",
                                   "join",
                                   "kill session",
                                   "lose commit",
                                   "refuse commit",
                                   "restart database",
                                   "lose notifications",
                                   "slow database",
                                   "spoil destination",
                                   "pause workflow",
                                   "hide write"};
  constexpr const char* also[] = {"no other change", "schedules", "unschedules", "ships"};
  std::string text = std::to_string(step.at.count()) + " us: " + names[static_cast<std::size_t>(step.kind)] +
                     " subject " + std::to_string(step.subject) + " detail " + std::to_string(step.detail);
  if (step.kind == Kind::write || step.kind == Kind::hide_write)
    text += ", " + std::to_string(step.count) + " events, " + also[static_cast<std::size_t>(step.also)] +
            (step.commits ? "" : ", rolled back");
  if (step.length > 0us) text += ", for " + std::to_string(step.length.count()) + " us";
  return text;
}

}  // namespace waybill::simulate
