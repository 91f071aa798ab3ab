#include "api/endpoint/job.hpp"

#include "storage/sql/jobs.sql.hpp"

namespace waybill::api {
namespace {

sql::jobs::Advance statement_of(const Job::Held& held, const JobProgress& next) {
  sql::jobs::Advance advance{.business = held.business,
                             .job = held.guid,
                             .lease = held.lease,
                             .done = next.done,
                             .total = next.total,
                             .place = std::nullopt,
                             .lease_time = job_lease_time};
  if (!next.place.empty()) advance.place = next.place;
  return advance;
}

}  // namespace

asio::awaitable<void> Job::note(std::int64_t done, std::optional<std::int64_t> total) {
  const auto noted = co_await db_.write(statement_of(held_, {.done = done, .total = total}), {});
  if (noted.empty()) throw JobStopped();
  held_.progress.done = done;
  held_.progress.total = total;
}

asio::awaitable<void> Job::advance(storage::Transaction& transaction, const JobProgress& next) const {
  const auto advanced = co_await transaction.run(statement_of(held_, next));
  if (advanced.empty()) throw JobStopped();
}

}  // namespace waybill::api
