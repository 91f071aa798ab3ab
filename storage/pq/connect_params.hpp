#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::storage::pq {

/// libpq's parameters of one session, for PQconnectdbParams and PQconnectStartParams with `expand_dbname`.
/// Parameters of the URL win, but for the client's encoding; `settings` ("-c name=value …") are added to its
/// `options`. A connection that falls silent is given up within 4 s by either side; a unix socket ignores
/// these limits.
class ConnectParams {
 public:
  /// With `host` the connection is made to that host of the URL alone, counted from 0.
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

/// Why the URL cannot be a database's, to be read after its name ("must …"); nullopt when it can.
std::optional<std::string> url_fault(const std::string& url);

/// How many hosts the URL names; at least 1.
std::size_t host_count(const std::string& url);

}  // namespace waybill::storage::pq
