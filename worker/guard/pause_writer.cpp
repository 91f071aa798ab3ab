#include "worker/guard/pause_writer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/observe.hpp"
#include "storage/changes/change_author.hpp"
#include "storage/sql/audit_log.sql.hpp"

namespace waybill::worker {
namespace {

constexpr Duration first_retry = std::chrono::milliseconds(100);
constexpr Duration longest_retry = std::chrono::seconds(1);
constexpr auto longest_wait = std::chrono::milliseconds(250);
constexpr const char* default_reason = "the destination asked for it";

}  // namespace

PauseWriter::PauseWriter(const std::string& database_url, const SecretBox& secrets)
    : secrets_(secrets), session_(database_url, "waybill pauses"), backoff_(first_retry, longest_retry) {}

void PauseWriter::stop(Moment /*until*/) {
  if (!loop_.is_started()) return;
  loop_.stop();
  write_all();
}

void PauseWriter::pause(PauseRequest request) {
  const Guid workflow = request.workflow_id;
  add(workflow, std::move(request));
}

void PauseWriter::pause(PauseNotice notice) {
  const Guid workflow = notice.workflow_id;
  add(workflow, std::move(notice));
}

void PauseWriter::add(const Guid& workflow, Request request) {
  {
    const Lock lock(mutex_);
    entries_.try_emplace(workflow, Entry{std::move(request), std::nullopt});
    count_ = entries_.size();
  }
  loop_.wake();
}

void PauseWriter::wait_briefly() {
  if (count_ == 0) return;
  Lock lock(mutex_);
  const bool done = changed_.wait_for(lock, longest_wait,
                                      [this]() REQUIRES(mutex_) { return failing_ || !any_unwritten(); });
  if (!done) failing_ = true;
}

bool PauseWriter::is_pausing(const Guid& workflow) const {
  if (count_ == 0) return false;
  const Lock lock(mutex_);
  return entries_.contains(workflow);
}

void PauseWriter::seen(std::uint64_t epoch, const HasRead& has_read) {
  const Lock lock(mutex_);
  const bool went_back = epoch < std::exchange(seen_epoch_, epoch);  // the server lost commits
  std::erase_if(entries_, [&](const auto& named) {
    const Entry& entry = named.second;
    const auto business = [&] {
      return std::visit([](const auto& request) { return request.business_id; }, entry.request);
    };
    return entry.epoch && (went_back || has_read(business(), *entry.epoch));
  });
  count_ = entries_.size();
}

bool PauseWriter::any_unwritten() const {
  return std::ranges::any_of(entries_, [](const auto& entry) { return !entry.second.epoch; });
}

Loop::Wait PauseWriter::turn() {
  const Duration wait = std::chrono::ceil<Duration>(retry_at_ - std::chrono::steady_clock::now());
  if (wait > Duration::zero()) return {wait};
  const bool done = write_all();
  {
    const Lock lock(mutex_);
    failing_ = !done;
  }
  changed_.notify_all();
  if (done) {
    session_.close();
    backoff_.reset();
    return {Loop::until_woken};
  }
  const Duration pause = backoff_.next();
  retry_at_ = std::chrono::steady_clock::now() + pause;
  return {pause};
}

/// Writes the requested pauses. Returns false if one of them must be written again.
bool PauseWriter::write_all() {
  std::vector<std::pair<Guid, Request>> all;
  {
    const Lock lock(mutex_);
    for (const auto& [workflow, entry] : entries_) {
      if (!entry.epoch) all.emplace_back(workflow, entry.request);
    }
  }
  bool done = true;
  for (const auto& [workflow, request] : all) done = write(workflow, request) && done;
  return done;
}

bool PauseWriter::write(const Guid& workflow, const Request& request) {
  try {
    session_.open([](auto& session) {
      session.run(storage::sql::audit_log::SetAuthor{.cause = storage::system_cause});
    });
    written(workflow, store(request));
    return true;
  } catch (const storage::StatementError& error) {
    observe(Observable::pause_write_failed,
            {{"workflow", workflow.to_string()}, {"error", std::string_view(error.what())}});
    if (storage::refuses_data(error)) {
      replace_reason(workflow);
    } else if (!storage::is_lock_conflict(error)) {
      session_.close();
    }
  } catch (const std::exception& error) {
    observe(Observable::pause_write_failed,
            {{"workflow", workflow.to_string()}, {"error", std::string_view(error.what())}});
    session_.close();
  }
  return false;
}

/// Returns the epoch of the paused workflow; nullopt if there was nothing to pause.
std::optional<std::uint64_t> PauseWriter::store(const Request& request) {
  if (const auto* const plain = std::get_if<PauseRequest>(&request)) {
    const auto paused = worker::pause(*session_, *plain);
    return paused ? std::optional(paused->epoch) : std::nullopt;
  }
  const std::vector<Paused> paused =
      pause_and_mail(*session_, secrets_, {&std::get<PauseNotice>(request), 1});
  return paused.empty() ? std::nullopt : std::optional(paused.front().epoch);
}

void PauseWriter::written(const Guid& workflow, std::optional<std::uint64_t> epoch) {
  const Lock lock(mutex_);
  if (!epoch || *epoch <= seen_epoch_) {
    entries_.erase(workflow);
  } else {
    entries_.at(workflow).epoch = epoch;
  }
  count_ = entries_.size();
}

// Replaces the reason, which came from a destination and which the database refused.
void PauseWriter::replace_reason(const Guid& workflow) {
  const Lock lock(mutex_);
  Request& request = entries_.at(workflow).request;
  std::visit([](auto& each) { each.reason = default_reason; }, request);
}

}  // namespace waybill::worker
