#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace waybill::net {

/// The parts of an `http:` or `https:` URL that a request needs.
struct Http1Target {
  std::string authority;   // host and port, as a key of connections: "127.0.0.1:8080", "[::1]:80"
  std::string host;        // the value of the header Host, which leaves out the port of the scheme
  std::string name;        // of the host in certificates: an IPv6 address has no brackets
  std::string target;      // path and query, "/" at least
  bool is_secure = false;  // `https:`
};

/// Splits URLs, and remembers the last ones, because most requests have the URL of an earlier one.
/// One thread.
class Http1Targets {
 public:
  /// Returns null for all other URLs: another scheme, malformed, with user info, with a name that is not
  /// ASCII, with a zone of an IPv6 address, or with a character that breaks a line.
  std::shared_ptr<const Http1Target> find(const std::string& url);

 private:
  std::unordered_map<std::string, std::shared_ptr<const Http1Target>> known_;
};

/// Replaces `head` by the head of a request: the request line and the headers. "User-Agent" and "Accept" are
/// added unless they are given. Returns false if a header cannot be sent: it would break its line, or its
/// name is not one.
bool write_head(std::string& head, const Http1Target& target, std::string_view method,
                const std::vector<std::pair<std::string, std::string>>& headers, std::size_t body_bytes,
                std::string_view user_agent);

}  // namespace waybill::net
