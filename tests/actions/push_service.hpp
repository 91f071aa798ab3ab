#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A browser with a subscription.
struct PushBrowser {
  std::string endpoint;
  std::string p256dh;
  std::string auth;
  std::string id;  // its id at the push service
};

/// A push message for a browser.
struct Pushed {
  int status = 0;  // status of the response
  json::object headers;
  json::value message;  // decrypted; null if the push was not accepted

  std::string header(std::string_view lower_case_name) const;
};

/// A process of tests/packages/push/push_service.js.
class PushService {
 public:
  PushService();

  /// http://127.0.0.1:PORT
  std::string origin() const;
  PushBrowser subscribe(std::string_view vapid_public_key);
  /// Sets the response to the next push to the browser, which then does not receive it.
  void answer_next(const PushBrowser& browser, int status, const json::object& headers = {});
  /// Answers all further pushes to the browser with 410.
  void expire(const PushBrowser& browser);
  std::vector<Pushed> pushes(const PushBrowser& browser);
  /// Waits for `count` pushes; returns those received by the deadline.
  std::vector<Pushed> wait_for(const PushBrowser& browser, std::size_t count,
                               Deadline deadline = default_deadline);

 private:
  Response control(std::string_view path, const json::object& body);

  Process process_;
  Http http_;
};

}  // namespace waybill::tests
