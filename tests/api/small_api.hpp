#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/api.hpp"
#include "api/gate/local_leases.hpp"
#include "tests/harness/http.hpp"

namespace waybill::tests {

namespace asio = boost::asio;

/// Tokens without a database; a token's text is "wb_" and its name.
class FixedTokens : public api::TokenStore {
 public:
  FixedTokens();
  asio::awaitable<std::optional<api::TokenRecord>> find(const api::TokenHash& hash) override;
  asio::awaitable<void> touch(const api::Principal& principal) override;

  std::atomic<int> lookups = 0;
  std::atomic<int> touches = 0;

 private:
  std::map<api::TokenHash, api::TokenRecord> records_;
};

/// Counters and signals of the test routes.
struct SmallApiState {
  std::atomic<int> toggles = 0;
  std::atomic<int> waiting = 0;        // requests inside GET /wait
  std::atomic<bool> released = false;  // releases them
};
SmallApiState& small_api_state();

/// A server on a free port with a few routes, whose database is unreachable.
class SmallApi {
 public:
  explicit SmallApi(api::HttpLimits limits = {}, api::Gate::Options options = {}, std::size_t threads = 2);
  ~SmallApi();

  std::uint16_t port() const { return api_.server().port(); }
  api::Server& server() { return api_.server(); }
  FixedTokens& tokens() { return tokens_; }

 private:
  api::LocalLeases leases_;
  FixedTokens tokens_;
  SecretBox secrets_;
  api::Api api_;
};

RawConnection connect(const SmallApi& api);
/// Sends a request and reads one response.
Response ask(RawConnection& connection, std::string_view request);
/// Uses a new connection.
Response ask(const SmallApi& api, std::string_view request);

}  // namespace waybill::tests
