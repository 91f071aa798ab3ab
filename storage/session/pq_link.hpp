#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/pq/libpq.hpp"
#include "storage/session/call_watch.hpp"
#include "storage/session/kept_plan.hpp"
#include "storage/session/link.hpp"
#include "storage/session/session_limits.hpp"

namespace waybill::storage {

/// A connection of libpq. UTC, ISO dates. After DatabaseUnavailable it is unusable.
class PqLink final : public Link {
 public:
  /// Connects. Throws DatabaseUnavailable.
  PqLink(const std::string& url, std::string_view application_name, const SessionLimits& limits);

  Rows run(const Statement& statement, const Params& params, Format format) override;
  Rows run_replanned(const Statement& statement, const Params& params) override;
  Rows run_with_fresh_plan(const Statement& statement, const Params& params) override;
  void stream(const Statement& statement, const Params& params, Format format, const TakeRow& take) override;
  Rows execute(const std::string& sql) override;
  void copy(const std::string& target, std::string_view rows) override;
  int socket() const override;
  std::set<std::string> notifications() override;

 private:
  std::string prepared(const Statement& statement);
  bool stream_rows(const Statement& statement, const Params& params, Format format, const TakeRow& take);
  bool send(const std::string& name, const std::vector<const char*>& values, const Params& params,
            Format format);
  PGresult* next_result();
  void cancel();
  Rows checked(PGresult* result);
  [[noreturn]] void throw_unavailable();

  pq::ConnectionHandle connection_;
  WatchedCalls calls_;                                     // ends before the connection
  std::map<std::string, KeptPlan, std::less<>> prepared_;  // by name
};

}  // namespace waybill::storage
