#include "storage/pq/primaries.hpp"

#include <chrono>
#include <set>

#include "storage/pq/connect_params.hpp"
#include "storage/pq/timed_connection.hpp"

namespace waybill::storage::pq {
namespace {

constexpr auto longest_question = std::chrono::seconds(2);

// The time at which a server started tells it from all others.
constexpr const char* find_primary = "select pg_postmaster_start_time() where not pg_is_in_recovery()";

}  // namespace

std::vector<std::string> primaries_of(const std::string& url) {
  std::vector<std::string> names;
  std::set<std::string> starts;
  for (const Server& server : servers_of(url)) {
    const auto end = std::chrono::steady_clock::now() + longest_question;
    const auto connection =
        connect_until(ConnectParams(server.connection, "waybill check", own_settings), end);
    if (PQstatus(connection.get()) != CONNECTION_OK) continue;
    const ResultHandle rows = rows_until(connection.get(), find_primary, end);
    if (PQntuples(rows.get()) == 1 && starts.emplace(PQgetvalue(rows.get(), 0, 0)).second)
      names.push_back(server.name);
  }
  return names;
}

}  // namespace waybill::storage::pq
