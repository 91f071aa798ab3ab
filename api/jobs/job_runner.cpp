#include "api/jobs/job_runner.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/endpoint/job_contents.hpp"
#include "api/gate/errors.hpp"
#include "api/gate/job_request.hpp"
#include "api/jobs/job_error.hpp"
#include "base/json.hpp"
#include "base/observe.hpp"
#include "base/pause.hpp"
#include "storage/database/unit_of_work.hpp"
#include "storage/sql/jobs.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_jobs = 8;          // under way in this process
constexpr std::int64_t most_of_business = 2;  // under way in all processes
constexpr auto look_interval = std::chrono::seconds(2);
constexpr auto renew_interval = std::chrono::seconds(4);
constexpr std::string_view file_time = "24 h";
constexpr std::int64_t most_file_bytes = 256L * 1024 * 1024;  // of all files of a business
constexpr int first_delay = 5, longest_delay = 60;            // seconds, after an attempt that failed

/// An attempt ended without ending the job, and it is not repeated.
class JobInterrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "an earlier attempt of the job was interrupted"; }
};

/// The number of attempts of a job that may fail for a reason that passes. An erasure is repeated for about a
/// day, because a person has asked for it.
int most_failures(JobKind kind) {
  switch (kind) {
    case JobKind::erasure:
      return 1'500;
    case JobKind::backtest:
      return 2;
    default:
      return 5;
  }
}

JobKind kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(job_kind_names, name);
  if (found == std::end(job_kind_names)) throw std::invalid_argument("no such kind of job");
  return static_cast<JobKind>(found - std::begin(job_kind_names));
}

std::string seconds_text(int seconds) { return std::to_string(seconds) + " s"; }

void check_held(const storage::Rows& rows) {
  if (!storage::TypedRows<sql::jobs::CheckLease>(rows).front().is_held) throw JobStopped();
}

/// Why an attempt has not done its job.
struct Ending {
  std::string error = {};  // JSON; empty if the job was stopped
  bool may_pass = false;   // another attempt may succeed
};

Ending ending_of(const std::exception_ptr& thrown, const Guid& job, JobKind kind, const Endpoint* endpoint) {
  try {
    std::rethrow_exception(thrown);
  } catch (const JobStopped&) {
    return {};
  } catch (const JobInterrupted&) {
    return {.error = interrupted_job_error()};
  } catch (...) {
    const ErrorAnswer answer = error_answer(thrown, job.to_string());
    if (!answer.fault.empty())
      observe(Observable::statement_failed, {{"statement", "jobs"}, {"error", answer.fault}});
    const bool is_defect = answer.status == http_status(ErrorCode::internal_error);
    return {.error = job_error(answer.body, endpoint),
            .may_pass = answer.status == http_status(ErrorCode::unavailable) ||
                        (is_defect && kind == JobKind::erasure)};
  }
}

/// Stores the answer as the file of the job, and returns the result that stands for it.
asio::awaitable<std::string> keep_file(storage::UnitOfWork& work, const SecretBox& secrets,
                                       const Guid& business, const Guid& job, const std::string& bytes) {
  const auto stored = co_await work.read(sql::jobs::FileBytes{.business = business});
  if (stored.front().total + std::ssize(bytes) > most_file_bytes)
    throw conflict("The files of the business's jobs have 256 MiB; each is deleted after 24 hours.");
  const auto transaction = co_await work.begin({.json = {}, .business = business});
  co_await store_content(*transaction, secrets, business, job, JobContent::file, bytes);
  co_await transaction->commit();
  co_return to_json(json::object{{"file", std::string(job_path) + job.to_string() + "/file"},
                                 {"bytes", std::ssize(bytes)}});
}

}  // namespace

/// A job that this process performs.
struct JobRunner::Claim {
  Job::Held held;
  JobKind kind = JobKind::import;
  const Endpoint* endpoint = nullptr;  // null if this version has no such call
  int failures = 0;
  bool is_stopped = false;
  bool was_interrupted = false;
};

JobRunner::JobRunner(asio::io_context& io, Services& services, const std::vector<Endpoint>& endpoints)
    : io_(io), services_(services), timer_(io) {
  for (const auto& endpoint : endpoints) {
    if (!endpoint.job) continue;
    endpoints_.emplace(endpoint.operation_id, &endpoint);
    operations_.emplace_back(endpoint.operation_id);
  }
  asio::co_spawn(io_, look_for_jobs(), asio::detached);
  asio::co_spawn(io_, renew_leases(), asio::detached);
}

void JobRunner::wake() {
  asio::post(io_, [this] { look_again(); });
}

void JobRunner::look_again() {
  is_woken_ = true;
  timer_.cancel();
}

/// While the database cannot be reached, the next look follows after the interval.
asio::awaitable<void> JobRunner::look_for_jobs() {
  for (;;) {
    is_woken_ = false;
    try {
      while (leases_.size() < most_jobs && co_await begin_next()) continue;
    } catch (const std::exception& error) {
      observe(Observable::statement_failed, {{"statement", "jobs.claim"}, {"error", error.what()}});
    }
    if (is_woken_) continue;
    timer_.expires_after(look_interval);
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

/// Returns false if no job is due.
asio::awaitable<bool> JobRunner::begin_next() {
  const auto found = co_await services_.db.write(sql::jobs::IsDue{}, {});
  if (!found.front().is_due) co_return false;
  const Guid lease = Guid::random();
  const auto claimed = co_await services_.db.write(sql::jobs::Claim{.lease = lease,
                                                                    .lease_time = job_lease_time,
                                                                    .most_of_business = most_of_business,
                                                                    .operations = operations_},
                                                   {});
  const auto row = claimed.find();
  if (!row) co_return false;
  const auto endpoint = endpoints_.find(row->operation);
  auto claim =
      std::make_shared<Claim>(Claim{.held = {.business = row->business_id,
                                             .guid = row->guid,
                                             .lease = lease,
                                             .started_at = row->started_at,
                                             .progress = {.done = row->done,
                                                          .total = row->total,
                                                          .place = std::string(row->place.value_or(""))}},
                                    .kind = kind_of(row->kind),
                                    .endpoint = endpoint == endpoints_.end() ? nullptr : endpoint->second,
                                    .failures = row->failures,
                                    .is_stopped = row->is_stopped,
                                    .was_interrupted = row->was_interrupted});
  leases_.insert(lease);
  asio::co_spawn(io_, perform(std::move(claim)), asio::detached);
  co_return true;
}

asio::awaitable<void> JobRunner::renew_leases() {
  for (;;) {
    co_await pause(renew_interval);
    if (leases_.empty()) continue;
    try {
      const std::vector<Guid> leases(leases_.begin(), leases_.end());
      co_await services_.db.write(sql::jobs::Renew{.leases = leases, .lease_time = job_lease_time}, {});
    } catch (const std::exception& error) {
      observe(Observable::statement_failed, {{"statement", "jobs.renew"}, {"error", error.what()}});
    }
  }
}

/// If even the end of the job cannot be stored, its lease expires and it is claimed again.
asio::awaitable<void> JobRunner::perform(std::shared_ptr<const Claim> claim) {
  std::exception_ptr thrown;
  try {
    co_await call_handler(*claim);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    try {
      co_await settle(*claim, thrown);
    } catch (const std::exception& error) {
      observe(Observable::statement_failed, {{"statement", "jobs.end"}, {"error", error.what()}});
    }
  }
  leases_.erase(claim->held.lease);
  look_again();
}

/// The writes of the handler and the end of the job are one transaction.
asio::awaitable<void> JobRunner::call_handler(const Claim& claim) {
  const auto& [business, guid, lease, started_at, progress] = claim.held;
  if (claim.is_stopped) throw JobStopped();
  // An upload is one transaction. Its file may be the reason for which a process ended, so it is not tried
  // again.
  const bool is_lost = claim.was_interrupted && claim.kind == JobKind::upload;
  if (is_lost || claim.failures > most_failures(claim.kind)) throw JobInterrupted();
  if (claim.endpoint == nullptr) throw JobInterrupted();
  std::string peer;
  Call call = read_stored_call(
      co_await load_content(services_.db, services_.secrets, business, guid, JobContent::call),
      *claim.endpoint, peer);
  Job job(services_.db, claim.held);
  call.job = &job;
  storage::UnitOfWork work(
      services_.db,
      {.statement = sql::jobs::CheckLease::statement,
       .params = sql::jobs::CheckLease{.business = business, .job = guid, .lease = lease}.params(),
       .check = check_held});
  Services services = with_database(services_, work);
  Answer answer;
  std::optional<JobWaits> waits;
  try {
    answer = co_await claim.endpoint->handler(call, services);
  } catch (const JobWaits& wait) {
    waits = wait;
  }
  if (waits) {
    const auto& next = waits->progress();
    sql::jobs::Release release{.business = business,
                               .job = guid,
                               .lease = lease,
                               .delay = format_duration(waits->delay()),
                               .is_failure = false,
                               .done = next.done,
                               .total = next.total,
                               .place = std::nullopt};
    if (!next.place.empty()) release.place = next.place;
    co_await work.write(release, {.json = {}, .business = business});
    co_await work.commit();
    co_return;
  }
  sql::jobs::Finish finish{.business = business,
                           .job = guid,
                           .lease = lease,
                           .result = std::nullopt,
                           .file_bytes = std::nullopt,
                           .file_time = file_time};
  if (claim.kind == JobKind::export_) {
    finish.file_bytes = std::ssize(answer.data);
    answer.data = co_await keep_file(work, services_.secrets, business, guid, answer.data);
  }
  if (!answer.data.empty()) finish.result = answer.data;
  const auto finished = co_await work.write(finish, {.json = {}, .business = business});
  if (finished.empty()) throw JobStopped();
  co_await work.commit();
}

/// Ends the job, or releases it for another attempt if the reason may pass or the business is suspended. Does
/// nothing if the lease is lost.
asio::awaitable<void> JobRunner::settle(const Claim& claim, const std::exception_ptr& thrown) {
  const auto& [business, guid, lease, started_at, progress] = claim.held;
  const storage::Cause cause{.json = {}, .business = business};
  const Ending ending = ending_of(thrown, guid, claim.kind, claim.endpoint);
  if (ending.may_pass && claim.failures < most_failures(claim.kind)) {
    co_await services_.db.write(
        sql::jobs::Release{.business = business,
                           .job = guid,
                           .lease = lease,
                           .delay = seconds_text(std::min(claim.failures * first_delay, longest_delay)),
                           .is_failure = true},
        cause);
    co_return;
  }
  // A worker performs the import itself.
  const auto import_run = Guid::parse(progress.place);
  if (claim.kind == JobKind::import && claim.is_stopped && import_run)
    co_await services_.db.write(sql::jobs::StopImport{.business = business, .run = *import_run}, cause);
  std::optional<std::string_view> error;
  if (!ending.error.empty()) error = ending.error;
  co_await services_.db.write(
      sql::jobs::End{.business = business, .job = guid, .lease = lease, .error = error}, cause);
  // The business is suspended: the job waits.
  if (!error) {
    co_await services_.db.write(
        sql::jobs::Release{
            .business = business, .job = guid, .lease = lease, .delay = seconds_text(0), .is_failure = false},
        cause);
  }
}

}  // namespace waybill::api
