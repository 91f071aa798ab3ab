#pragma once

#include <string>
#include <string_view>

#include "connectors/easypost/answers.hpp"

namespace waybill::connectors::easypost {

/// Sends requests with the credentials of one account. Throws nothing for an answer or a failure.
class Client {
 public:
  static constexpr std::size_t usual_answer = 1024UL * 1024;
  static constexpr std::size_t long_answer = 4UL * 1024 * 1024;
  static constexpr std::size_t largest_label = 10UL * 1024 * 1024;

  Client(const GatewayAccount& account, Send send);

  /// `path` begins with a slash.
  asio::awaitable<Answer> get(std::string path, Duration time_out, std::size_t limit = usual_answer);
  /// Never arrives twice.
  asio::awaitable<Answer> post(std::string path, std::string body, Duration time_out);
  /// Loads a file from any host, without credentials. The body is one byte longer than `largest_label` if the
  /// file is too large.
  asio::awaitable<net::HttpResponse> file(std::string link, Duration time_out);

 private:
  net::HttpRequest request(std::string method, const std::string& path, Duration time_out) const;

  const std::string url_;
  const std::string key_;
  const Send send_;
};

}  // namespace waybill::connectors::easypost
