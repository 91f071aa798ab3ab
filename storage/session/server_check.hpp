#pragma once

#include <set>
#include <string>

#include "storage/pq/libpq.hpp"

namespace waybill::storage {

/// Asks a server with a connection of its own which sessions it works for. It never blocks. One thread.
class ServerCheck {
 public:
  explicit ServerCheck(std::string connection);

  const std::string& connection() const { return text_; }
  /// Continues. Returns true at the end: the server, or the kernel of its machine, has answered.
  bool continues_to_end();
  /// After the end: false if the server answers and runs nothing for the session of this server process. True
  /// if that is unknown, because the server refused the check, or behind a pooler, which has its own numbers.
  bool works_for(int process) const { return !knows_sessions_ || active_.contains(process); }

 private:
  bool is_ready() const;
  /// Returns true at the end.
  bool connect();
  bool receive();

  const std::string text_;
  pq::ConnectionHandle connection_;
  short awaits_;
  bool is_connected_ = false;
  bool knows_sessions_ = false;
  std::set<int> active_;  // the server processes that run a statement
};

}  // namespace waybill::storage
