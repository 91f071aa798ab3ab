#include "storage/standbys/standby_session.hpp"

#include "storage/pq/connect_params.hpp"
#include "storage/sql/standbys.sql.hpp"
#include "storage/standbys/standby_fault.hpp"

namespace waybill::storage {

namespace {

std::optional<std::int64_t> cluster_of(const std::string& connection) {
  try {
    Session session(connection, "waybill api");
    return session.run(sql::standbys::Identity{}).front().cluster;
  } catch (const DatabaseUnavailable&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> foreign_server(const std::string& database_url, const std::string& standby_url) {
  const auto primary = cluster_of(database_url);
  if (!primary) return std::nullopt;
  for (const auto& server : pq::standbys_of(standby_url)) {
    // A server of another cluster may be a primary. The last value of a keyword takes precedence.
    const auto cluster = cluster_of(server.connection + "target_session_attrs='any'");
    if (cluster && *cluster != *primary) return server.name;
  }
  return std::nullopt;
}

std::optional<Observable> check_standby(Session& session, const StandbyTarget& target) {
  if (session.run(sql::standbys::Identity{}).front().cluster != target.cluster)
    return Observable::standby_foreign;
  const auto rows = session.run(sql::standbys::Check{.cluster = target.cluster});
  const auto state = rows.front();
  if (!state.is_standby) return Observable::standby_promoted;
  const CommitPosition replayed{.timeline = static_cast<std::uint32_t>(state.timeline),
                                .lsn = parse_lsn(state.lsn.value_or("")).value_or(0)};
  if (replayed < target.required) return Observable::standby_behind;
  return std::nullopt;
}

bool run_on_standby(const StandbyTarget& target, std::string_view application_name,
                    const std::string& settings, const std::function<void(Session&)>& work) {
  std::optional<Observable> fault;
  try {
    Session session(target.connection, application_name);
    session.execute(settings);
    fault = check_standby(session, target);
    if (!fault) {
      work(session);
      observe(Observable::standby_read);
      return true;
    }
  } catch (const DatabaseUnavailable&) {
    fault = Observable::standby_unreachable;
  } catch (const StatementError& error) {
    fault = standby_fault(error);
    if (!fault) throw;
  }
  observe(*fault);
  observe(Observable::primary_read);
  return false;
}

}  // namespace waybill::storage
