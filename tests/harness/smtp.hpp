#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A real mail server (the npm package smtp-server) on a port of 127.0.0.1.
class SmtpServer {
 public:
  /// `options` are those of tests/packages/delivery/smtp_server.js. Throws if the server does not start.
  explicit SmtpServer(const json::object& options = {});

  int port() const { return port_; }
  /// smtp://CREDENTIALS@127.0.0.1:PORT
  std::string url(std::string_view credentials = {}, std::string_view scheme = "smtp") const;

  /// Message `number`, from 1: {from, to, secure, user, connections, raw}. Throws at the deadline.
  json::object message(int number, Deadline deadline = default_deadline);

 private:
  std::unique_ptr<Process> process_;
  int port_ = 0;
};

}  // namespace waybill::tests
