#include "worker/queue/preparation.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/observe.hpp"
#include "storage/statement/errors.hpp"
#include "worker/delivery/claimed_run.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t most_in_batch = 64;
constexpr std::size_t first_render_batch = 4;
constexpr Duration render_time = std::chrono::milliseconds(2);
// Runs of several steps share the reads of a batch and the commit that stores their steps.
constexpr Duration begin_time = std::chrono::milliseconds(10);
constexpr std::size_t least_to_begin = 8;
constexpr Duration no_memory_pause = std::chrono::milliseconds(250);
constexpr std::chrono::seconds beat_every{1};

/// Notes that the step of a run is stored. Counts the steps that ended before it; the recorder counts those
/// of other runs.
void note_stored_step(storage::ClaimedRun& claimed) {
  if (!performs_step(claimed.run)) return;
  storage::RunState& state = claimed.run.state;
  count_steps(state);
  auto progress = std::make_shared<storage::StepProgress>(*state.progress);
  progress->ended.clear();
  progress->stored = progress->number;
  state.progress = std::move(progress);
}

/// Removes the runs that are `unwanted`, and returns them as they were claimed.
template <typename Unwanted>
std::vector<storage::ClaimedRun> take_out(std::vector<storage::ClaimedRun>& runs,
                                          std::vector<storage::ClaimedRun>& claimed, Unwanted unwanted) {
  std::vector<storage::ClaimedRun> taken;
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (!unwanted(runs[i])) continue;
    taken.push_back(std::move(claimed[i]));
    claimed.erase(claimed.begin() + static_cast<std::ptrdiff_t>(i));
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return taken;
}

}  // namespace

Preparation::Preparation(Options options, const Catalogue& catalogue, Runner& runner, const Clock& clock,
                         Upstream& upstream)
    : options_(std::move(options)),
      catalogue_(catalogue),
      runner_(runner),
      clock_(clock),
      upstream_(upstream),
      preparer_(catalogue, clock, options_.worker, options_.public_url, options_.retention),
      session_(options_.sessions, "waybill preparation", {storage::index_walking_plans}),
      render_batch_(first_render_batch, most_in_batch, render_time),
      begin_batch_(most_in_batch, most_in_batch, begin_time) {}

void Preparation::start() {
  thread_.start([this](const std::stop_token& stop) { run(stop); });
}

void Preparation::stop_accepting() {
  queues_.close();
  thread_.stop();
  runner_.give_back(queues_.take_all(), clock_.now());
}

void Preparation::add(Runs runs) {
  if (runs.empty()) return;
  Runs to_render, to_begin;
  for (storage::ClaimedRun& run : runs) {
    const WorkflowPtr workflow = catalogue_.find(run.run.key.workflow_id);
    const bool has_steps = run.run.state.progress || (workflow && !workflow->steps.empty());
    (has_steps ? to_begin : to_render).push_back(std::move(run));
  }
  queues_.add(std::move(to_render), std::move(to_begin), clock_.now());
}

bool Preparation::go_on(storage::ClaimedRun run) {
  const storage::RunKey& key = run.run.key;
  const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
  // The queue is where runs are held and paced.
  if (!workflow || workflow->paused || workflow->pacing || catalogue_.is_unreadable(key.workflow_id) ||
      catalogue_.is_suspended(key.business_id))
    return false;
  return queues_.go_on(std::move(run), clock_.now());
}

void Preparation::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    heartbeat_.beat();
    if (!queues_.wait(stop, beat_every)) continue;
    try {
      session_.open();
      render_some();
      begin_some();
      session_.worked();
    } catch (const std::exception& error) {
      if (dynamic_cast<const storage::DatabaseUnavailable*>(&error) == nullptr)
        observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
      queues_.pause(stop, session_.failed(error));
    }
    upstream_.note_room();
  }
}

void Preparation::render_some() {
  Runs runs;
  take(PreparationQueues::Kind::render, render_batch_.get(), runs);
  prepare(std::move(runs), render_batch_);
}

/// Runs that continue come before claimed runs, but each batch has room for some of the latter.
void Preparation::begin_some() {
  Runs runs;
  const std::size_t most = std::max(begin_batch_.get(), least_to_begin);
  take(PreparationQueues::Kind::go_on, most, runs);
  take(PreparationQueues::Kind::begin, std::max(most - runs.size(), least_to_begin), runs);
  prepare(std::move(runs), begin_batch_);
}

/// Adds the next runs of a kind.
void Preparation::take(PreparationQueues::Kind kind, std::size_t most, Runs& runs) {
  const Time now = clock_.now();
  auto [taken, late] = queues_.take(kind, most, now - claim_patience);
  Runs without_memory;
  for (storage::ClaimedRun& run : taken)
    (runner_.has_memory(run.run.key.business_id) ? runs : without_memory).push_back(std::move(run));
  runner_.give_back(std::move(late), now);
  runner_.give_back(std::move(without_memory), now + no_memory_pause);
}

/// Hands the runs to the runner, or puts them back into the queue. Counts the time for their businesses.
void Preparation::prepare(Runs claimed, BatchSize& batch) {
  if (claimed.empty()) return;
  const auto began = std::chrono::steady_clock::now();
  std::vector<SpentTimes::Part> parts;
  for (const storage::ClaimedRun& each : claimed)
    parts.push_back({each.run.key.business_id, storage::byte_size(each.run.key)});
  try {
    prepare_all(std::move(claimed), batch);
  } catch (...) {
    count_time(parts, std::chrono::steady_clock::now() - began);
    throw;
  }
  count_time(parts, std::chrono::steady_clock::now() - began);
}

void Preparation::prepare_all(Runs claimed, BatchSize& batch) {
  const auto began = std::chrono::steady_clock::now();
  Runs runs = claimed;
  try {
    preparer_.render(*session_, runs);
    batch.measured(runs.size(),
                   std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began));
    put_back_unreadable(runs, claimed);
    put_back_unbegun(runs, claimed);
    preparer_.store_steps(*session_, runs, claim_lease);
  } catch (...) {
    // Puts the runs back as they were claimed: a wait that began only in memory would count as over.
    runner_.give_back(std::move(claimed), clock_.now());
    throw;
  }
  std::ranges::for_each(runs, note_stored_step);
  pace_steps(runs);
  runner_.submit(std::move(runs));
}

/// Divides the time of a batch: what was measured for a business is its own, and the runs share the rest.
void Preparation::count_time(std::span<const SpentTimes::Part> parts, SpentTimes::Length time) {
  SpentTimes& times = preparer_.times();
  times.divide(time - times.total(), parts);
  std::unordered_map<Guid, PreparationQueues::Spent> spent;
  for (const SpentTimes::Part& part : parts) ++spent[part.business].runs;
  for (const auto& [business, length] : times.take()) spent[business].time = length;
  queues_.spent(spent);
}

/// Lets the steps of workflows with a rate go through the queue of their destination, where the rate is
/// applied.
void Preparation::pace_steps(Runs& runs) const {
  for (storage::ClaimedRun& claimed : runs) {
    const WorkflowPtr workflow = catalogue_.find(claimed.run.key.workflow_id);
    if (performs_step(claimed.run) && workflow && workflow->pacing.rate)
      claimed.pace = {.kind = storage::Pace::Kind::rate, .until = clock_.now()};
  }
}

/// Puts back the runs whose version of the workflow this binary cannot read.
void Preparation::put_back_unreadable(Runs& runs, Runs& claimed) {
  runner_.hold_unreadable(
      take_out(runs, claimed, [](const storage::ClaimedRun& run) { return run.version_unreadable; }));
}

/// Puts back the runs that continue, unless they now perform a step that only sends, so that the end of their
/// last step is stored.
void Preparation::put_back_unbegun(Runs& runs, Runs& claimed) {
  runner_.give_back(take_out(runs, claimed,
                             [](const storage::ClaimedRun& run) {
                               return run.goes_on &&
                                      !(performs_step(run.run) && actions::only_sends(run.run.key.action));
                             }),
                    clock_.now());
}

}  // namespace waybill::worker
