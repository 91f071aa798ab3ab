#include "worker/events/workflow_loader.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/observe.hpp"
#include "storage/events/outbox.hpp"
#include "storage/settings/workflow_reader.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::worker {
namespace {

constexpr Duration look_every = std::chrono::seconds(1);  // keeps the heartbeat young
// One business has a turn of its own unless very many wait, for instance after an update of all workflows.
constexpr std::size_t turns_in_queue = 16;
constexpr std::size_t most_in_turn = 50;
constexpr auto long_reading = std::chrono::milliseconds(50);
constexpr auto half_life = std::chrono::seconds(10);

}  // namespace

WorkflowLoader::WorkflowLoader(storage::Sessions sessions, const Catalogue& catalogue, OnLoaded on_loaded)
    : catalogue_(catalogue),
      on_loaded_(std::move(on_loaded)),
      session_(std::move(sessions), "waybill workflows", {storage::index_walking_plans}),
      shares_(half_life) {}

void WorkflowLoader::start() {
  thread_.start([this](const std::stop_token& stop) { run(stop); });
}

void WorkflowLoader::load(const Request& request) {
  {
    const Lock lock(mutex_);
    requests_.push(request.business_id, request);
  }
  thread_.wake();
}

std::optional<WorkflowLoader::Loaded> WorkflowLoader::take() {
  std::optional<Loaded> loaded;
  {
    const Lock lock(mutex_);
    loaded.swap(loaded_);
  }
  if (loaded) thread_.wake();
  return loaded;
}

void WorkflowLoader::forget() {
  std::optional<Loaded> loaded;  // destroyed without the lock
  const Lock lock(mutex_);
  loaded.swap(loaded_);
  requests_.clear();
  ++wanted_session_;
}

void WorkflowLoader::destroy(std::vector<WorkflowPtr> workflows) {
  if (workflows.empty()) return;
  {
    const Lock lock(mutex_);
    std::ranges::move(workflows, std::back_inserter(destroyed_));
  }
  thread_.wake();
}

void WorkflowLoader::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    thread_.beat();
    const auto turn = next_turn();
    if (!turn) {
      thread_.wait(-1, look_every);
      continue;
    }
    try {
      read(*turn, stop);
      session_.worked();
    } catch (const std::exception& error) {
      const Duration pause = session_.failed(error);
      if (dynamic_cast<const storage::DatabaseUnavailable*>(&error) == nullptr)
        observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
      put_back(*turn);
      thread_.wait(-1, pause);
    }
  }
}

std::optional<WorkflowLoader::Turn> WorkflowLoader::next_turn() {
  std::vector<WorkflowPtr> destroyed;  // without the lock
  const Lock lock(mutex_);
  destroyed.swap(destroyed_);
  if (loaded_ || requests_.empty()) return std::nullopt;
  const auto count = std::clamp(requests_.size() / turns_in_queue, std::size_t{1}, most_in_turn);
  Turn turn{.requests = {}, .session = wanted_session_};
  const auto now = std::chrono::steady_clock::now();
  while (turn.requests.size() < count && !requests_.empty()) {
    const bool takes_long = shares_.expected(requests_.next()) > long_reading;
    if (takes_long && !turn.requests.empty()) break;
    turn.requests.push_back(requests_.pop(now));
    if (takes_long) break;
  }
  return turn;
}

void WorkflowLoader::read(const Turn& turn, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  if (turn.session != session_number_) session_.close();
  session_number_ = turn.session;
  session_.open();
  Loaded loaded{.businesses = {}, .reached = 0, .as_of = {}, .workflows = {}};
  std::uint64_t since = turn.requests.front().since;
  std::uint64_t least = 0;
  for (const Request& request : turn.requests) {
    loaded.businesses.push_back(request.business_id);
    since = std::min(since, request.since);
    least = std::max(least, request.least);
  }
  // The changes are read in a later snapshot, which contains all changes up to this epoch.
  const storage::Scan scan = storage::Outbox(*session_).scan({}, false);
  loaded.reached = scan.workflow_epoch;
  loaded.as_of = scan.began_at;
  if (loaded.reached < least) {
    session_.close();
    throw std::runtime_error(
        "the server that returned the workflows is behind the one that returned the events");
  }
  storage::read_changed_workflows(*session_, since, loaded.businesses, [&](const auto& portion) {
    if (stop.stop_requested()) return;
    thread_.beat();
    for (const storage::StoredWorkflow& stored : portion)
      loaded.workflows.push_back(catalogue_.parse(stored));
  });
  if (stop.stop_requested()) return;
  count_time(turn, began, loaded);
  {
    const Lock lock(mutex_);
    if (turn.session != wanted_session_) return;
    loaded_ = std::move(loaded);
  }
  on_loaded_();
}

/// Divides the time of a turn among its businesses, in proportion to their changed workflows.
void WorkflowLoader::count_time(const Turn& turn, TimeShares<Guid>::Moment began, const Loaded& loaded) {
  std::unordered_map<Guid, std::size_t> counts;
  for (const Request& request : turn.requests) counts[request.business_id] = 1;
  for (const ParsedWorkflow& parsed : loaded.workflows) ++counts[parsed.business_id];
  const auto now = std::chrono::steady_clock::now();
  const auto for_each = (now - began) / static_cast<std::int64_t>(counts.size() + loaded.workflows.size());
  const Lock lock(mutex_);
  for (const auto& [business, count] : counts)
    shares_.ended(business, 1, for_each * static_cast<std::int64_t>(count), now);
}

/// Puts the requests of a turn back, unless `forget` was called during the turn.
void WorkflowLoader::put_back(const Turn& turn) {
  const Lock lock(mutex_);
  if (turn.session == wanted_session_)
    for (const Request& request : turn.requests) requests_.push(request.business_id, request);
}

}  // namespace waybill::worker
