#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t runs_per_transaction = 10'000;
constexpr int max_transactions = 20;

}  // namespace

void release_held(storage::blocking::Connection& session, const DutyOptions&) {
  for (int i = 0; i < max_transactions; ++i) {
    const auto result = session.run(storage::sql::duties::ReleaseHeld{.limit = runs_per_transaction});
    if (result.front().released < runs_per_transaction) break;
  }
  session.run(storage::sql::duties::EndLeftOver{});
}

}  // namespace waybill::worker
