#include "tests/actions/push_service.hpp"

#include <filesystem>
#include <stdexcept>

#include "tests/harness/eventually.hpp"
#include "tests/harness/packages.hpp"

namespace waybill::tests {
namespace {

std::filesystem::path script() { return package_folder("push") / "push_service.js"; }

int port_of(Process& process) {
  constexpr std::string_view line_prefix = "listening on port ";
  const auto line = process.wait_for_line(line_prefix);
  if (!line) throw std::runtime_error("no push service: " + process.standard_error());
  return std::stoi(line->substr(line->find(line_prefix) + line_prefix.size()));
}

}  // namespace

std::string Pushed::header(std::string_view lower_case_name) const {
  const auto* value = headers.if_contains(lower_case_name);
  return value == nullptr ? "" : std::string(value->as_string());
}

PushService::PushService() : process_({"node", script()}), http_("127.0.0.1", port_of(process_)) {}

std::string PushService::origin() const { return "http://127.0.0.1:" + std::to_string(http_.port()); }

Response PushService::control(std::string_view path, const json::object& body) {
  Response response = http_.post(path, body);
  if (response.status != 200) throw std::runtime_error("the push service: " + response.text);
  return response;
}

PushBrowser PushService::subscribe(std::string_view vapid_public_key) {
  const Response response = control("/subscribe", {{"applicationServerKey", vapid_public_key}});
  return {.endpoint = text_at(response.body, "endpoint"),
          .p256dh = text_at(response.body, "keys.p256dh"),
          .auth = text_at(response.body, "keys.auth"),
          .id = text_at(response.body, "clientHash")};
}

void PushService::answer_next(const PushBrowser& browser, int status, const json::object& headers) {
  control("/answer", {{"clientHash", browser.id}, {"status", status}, {"headers", headers}});
}

void PushService::expire(const PushBrowser& browser) { control("/expire", {{"clientHash", browser.id}}); }

std::vector<Pushed> PushService::pushes(const PushBrowser& browser) {
  const Response response = http_.get("/pushes/" + browser.id);
  std::vector<Pushed> result;
  for (const json::value& push : response.body.as_array()) {
    const json::value& message = at(push, "message");
    result.push_back({.status = static_cast<int>(at(push, "status").as_int64()),
                      .headers = at(push, "headers").as_object(),
                      .message = message.is_string() ? json::parse(message.as_string()) : json::value()});
  }
  return result;
}

std::vector<Pushed> PushService::wait_for(const PushBrowser& browser, std::size_t count, Deadline deadline) {
  eventually([&] { return pushes(browser).size() >= count; }, deadline);
  return pushes(browser);
}

}  // namespace waybill::tests
