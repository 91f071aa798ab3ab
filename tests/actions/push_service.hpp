#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A browser that has subscribed.
struct Browser {
  std::string endpoint;
  std::string p256dh;
  std::string auth;
  std::string id;  // what the push service knows it by
};

/// A push that came for a browser.
struct Pushed {
  int status = 0;  // of the answer
  json::object headers;
  json::value message;  // decrypted; null when the answer was another one

  std::string header(std::string_view lower_case_name) const;
};

/// tests/push/push_service.js, running.
class PushService {
 public:
  PushService();

  /// http://127.0.0.1:PORT
  std::string origin() const;
  Browser subscribe(std::string_view vapid_public_key);
  /// The next push to the browser is answered so, and does not reach it.
  void answer_next(const Browser& browser, int status, const json::object& headers = {});
  /// From now on its pushes are answered with 410.
  void expire(const Browser& browser);
  std::vector<Pushed> pushes(const Browser& browser);
  /// Once there are as many; what there is when the deadline passes.
  std::vector<Pushed> wait_for(const Browser& browser, std::size_t count, Deadline deadline = patience);

 private:
  Response tell(std::string_view path, const json::object& body);

  Process process_;
  Http http_;
};

}  // namespace waybill::tests
