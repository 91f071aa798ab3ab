#include "tests/harness/smtp.hpp"

#include <filesystem>
#include <stdexcept>

#include "tests/harness/packages.hpp"

namespace waybill::tests {

SmtpServer::SmtpServer(const json::object& options) {
  const auto script = package_folder("delivery") / "smtp_server.js";
  process_ = std::make_unique<Process>(std::vector<std::string>{"node", script, json::serialize(options)});
  const auto line = process_->wait_for_line("listening ");
  if (!line) throw std::runtime_error("the mail server did not start: " + process_->standard_error());
  port_ = std::stoi(line->substr(line->find(' ') + 1));
}

std::string SmtpServer::url(std::string_view credentials, std::string_view scheme) const {
  std::string text(scheme);
  text.append("://").append(credentials).append(credentials.empty() ? "" : "@");
  return text + "127.0.0.1:" + std::to_string(port_);
}

json::object SmtpServer::message(int number, Deadline deadline) {
  const auto line = process_->wait_for_line("message " + std::to_string(number) + " ", deadline);
  if (!line) throw std::runtime_error("no mail " + std::to_string(number));
  return json::parse(line->substr(line->find('{'))).as_object();
}

}  // namespace waybill::tests
