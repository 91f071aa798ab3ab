#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::storage::pq {

/// Settings that the statements and the readers of their results need, whatever the role or the database has:
/// the form of values in texts, the syntax, the isolation, and no limit of time but the session's own, which
/// follows. JIT compilation of a plan costs more than it saves for short statements.
inline constexpr std::string_view own_settings =
    "-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=postgres -c bytea_output=hex -c extra_float_digits=1 "
    "-c standard_conforming_strings=on -c quote_all_identifiers=off -c transform_null_equals=off "
    "-c default_transaction_isolation=read\\ committed -c statement_timeout=0 -c lock_timeout=0 "
    "-c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0 -c jit=off";

/// The setting of sessions that keep the plans of their statements: a plan that was made while a table was
/// empty would scan the whole table when it has a million rows. A table without a fitting index is scanned.
inline constexpr std::string_view plans_without_scans = " -c enable_seqscan=off";

/// libpq's parameters of one session, for PQconnectdbParams and PQconnectStartParams with `expand_dbname`.
/// Parameters of the URL take precedence, except the client encoding; `settings` ("-c name=value …") are
/// appended to its `options`. Client and server close an unresponsive connection within 4 s; these limits
/// have no effect on a unix socket.
class ConnectParams {
 public:
  /// With `host`, connects only to the host of the URL with this index (from 0).
  ConnectParams(const std::string& url, std::string_view application_name, std::string_view settings,
                std::optional<std::size_t> host = {});

  const char* const* keywords() const { return keywords_.data(); }
  const char* const* values() const { return values_.data(); }

 private:
  void add(const char* keyword, std::string value);

  std::vector<std::pair<const char*, std::string>> params_;
  std::vector<const char*> keywords_;
  std::vector<const char*> values_;
};

/// Returns the same parameters as one connection string, for libraries that take nothing else. A URL that
/// libpq cannot read is returned unchanged, so that connecting fails with libpq's own message.
std::string conninfo(const std::string& url, std::string_view application_name, std::string_view settings);

/// A server with which a session is connected, as libpq names it.
struct ServerAddress {
  std::string host;     // a name, an address or the directory of a socket
  std::string address;  // the address in numbers; empty for a socket in a directory
  std::string port;
};

/// Returns `conninfo` for one server of the URL, whatever its role.
std::string conninfo_of_server(const std::string& url, std::string_view application_name,
                               std::string_view settings, const ServerAddress& server);

/// Returns the reason why the URL or a value in it is invalid, to follow its name ("must …"); nullopt if it
/// is valid. Contacts no server. The reason does not repeat values, which may be a part of the password.
std::optional<std::string> url_fault(const std::string& url);

/// One server of a URL.
struct Server {
  std::string name;        // "db2:5432", for logs; no password
  std::string connection;  // a connection string to this server alone
};

/// Returns the hosts of a URL, each as a connection that succeeds only while the server has this role, a
/// value of target_session_attrs, unless the URL has another one. Each has two seconds to answer.
std::vector<Server> servers_of(const std::string& url, std::string_view role = "primary");
/// Returns the hosts of a URL as standbys.
std::vector<Server> standbys_of(const std::string& url);

/// Returns the reason why the URL cannot name standbys, to follow its name ("must …"); nullopt if it can.
std::optional<std::string> standby_url_fault(const std::string& url);

/// Returns the URL with its hosts in another order: from `first` (from 0) on, and then those before it.
std::string beginning_with_host(const std::string& url, std::size_t first);

/// Returns the index of the host in the URL with which a session is connected, as libpq names it (PQhost,
/// PQport).
std::optional<std::size_t> host_of(const std::string& url, std::string_view name, std::string_view port);

/// Returns the number of hosts in the URL; at least 1.
std::size_t host_count(const std::string& url);

}  // namespace waybill::storage::pq
