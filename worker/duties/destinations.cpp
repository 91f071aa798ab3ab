#include <string>
#include <vector>

#include "storage/sql/destinations.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

using Report = net::DestinationCounts::Report;

constexpr std::size_t reports_of_statement = 500;
constexpr int statements_of_turn = 4;               // so that no worker writes more than 400 rows a second
constexpr std::int64_t reports_of_business = 2000;  // of all workers
constexpr std::int64_t rows_of_expiry = 5000;

template <typename Numbers>
std::string numbers_literal(const Numbers& numbers) {
  std::string literal = "{";
  for (const auto number : numbers) {
    if (literal.size() > 1) literal += ',';
    literal += std::to_string(number);
  }
  return literal + '}';
}

void publish(storage::blocking::Connection& session, const Guid& worker, const std::vector<Report>& reports) {
  std::vector<Guid> businesses;
  std::vector<std::string> kinds, names, succeeded, failed, durations, workflows;
  std::vector<std::int64_t> places;
  storage::ArrayLiteral probes, intervals;
  for (const Report& report : reports) {
    businesses.push_back(report.business);
    kinds.emplace_back(report.kind ? text(*report.kind) : net::other_destinations);
    names.push_back(report.destination);
    places.push_back(static_cast<std::int64_t>(report.health.places));
    if (report.health.state == net::CircuitBreaker::State::open) {
      probes.add(format_sql_timestamp(report.health.next_probe));
    } else {
      probes.add_null();
    }
    intervals.add(format_sql_timestamp(report.interval));
    succeeded.push_back(numbers_literal(report.succeeded));
    failed.push_back(numbers_literal(report.failed));
    durations.push_back(numbers_literal(report.durations));
    workflows.push_back(storage::array_literal(report.workflows));
  }
  session.run(storage::sql::destinations::Publish{.worker = worker,
                                                  .businesses = businesses,
                                                  .kinds = kinds,
                                                  .names = names,
                                                  .places = places,
                                                  .next_probes = std::move(probes),
                                                  .counted_from = std::move(intervals),
                                                  .succeeded = succeeded,
                                                  .failed = failed,
                                                  .durations = durations,
                                                  .workflows = workflows,
                                                  .most = reports_of_business});
}

}  // namespace

void publish_destinations(storage::blocking::Connection& session, const DutyOptions& options) {
  if (options.destinations == nullptr) return;
  for (int i = 0; i < statements_of_turn; ++i) {
    const std::vector<Report> reports = options.destinations->take_changed(reports_of_statement);
    if (reports.empty()) return;
    try {
      publish(session, options.worker, reports);
    } catch (...) {
      options.destinations->not_published(reports);
      throw;
    }
  }
}

bool expire_destinations(storage::blocking::Connection& session, const DutyOptions& options) {
  return repeat_for(options.turn, [&] {
    return session.run(storage::sql::destinations::Expire{.limit = rows_of_expiry}).front().deleted ==
           rows_of_expiry;
  });
}

}  // namespace waybill::worker
