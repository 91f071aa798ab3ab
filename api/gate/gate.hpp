#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/endpoint/router.hpp"
#include "api/endpoint/services.hpp"
#include "api/gate/auth.hpp"
#include "api/gate/held_bytes.hpp"
#include "api/gate/own_writes.hpp"
#include "api/gate/quota.hpp"
#include "api/gate/request_ids.hpp"
#include "api/gate/request_log.hpp"
#include "api/http/address_block.hpp"
#include "api/http/message.hpp"
#include "storage/database/commit_position.hpp"
#include "storage/standbys/standbys.hpp"

namespace waybill::api {

/// The pipeline of every request: endpoint → token (of the header, or of the session cookie) → plan and quota
/// → permission → body → idempotency → validation → handler. A caller whose body was waited for is checked
/// again. An exception at any point becomes an error answer. One for each io thread.
class Gate : public Responder {
 public:
  struct Options {
    std::vector<std::string> cors_origins;      // "https://app.example.com"; "*" for any
    std::vector<AddressBlock> trusted_proxies;  // addresses whose X-Forwarded-For is used
    std::size_t body_limit = 1'048'576;         // bytes
    std::size_t upload_limit = 10'485'760;
    /// All tokens of a business, or of a user without one, have this many times a token's quota; 0: no limit.
    std::int64_t business_quota_factor = 10;
  };

  /// Both members are null without `--read-database-url`.
  struct StandbyReads {
    storage::Standbys* standbys = nullptr;  // standbys of this thread
    OwnWrites* own_writes = nullptr;        // shared by the threads
  };

  /// All references outlive the gate. `router`, `plans`, `quota` and `bytes` are shared by the
  /// threads.
  Gate(const Router& router, Services& services, Authenticator& authenticator, const Plans& plans,
       Quota& quota, ByteLimits& bytes, Options options, StandbyReads offload);

  asio::awaitable<void> respond(const Request& request, RequestBody& body, Response& response) override;
  void refuse(const Failure& failure, Response& response) override;
  std::shared_ptr<void> hold(const Client& client, std::size_t bytes) override;

 private:
  struct Exchange;

  asio::awaitable<void> answer(Exchange& exchange);
  bool find_endpoint(Exchange& exchange) const;
  asio::awaitable<void> count_unrouted(Exchange& exchange);
  asio::awaitable<void> admit(Exchange& exchange);
  asio::awaitable<void> admit_again(Exchange& exchange);
  asio::awaitable<void> authenticate(Exchange& exchange);
  asio::awaitable<Authenticator::Record> recognise(Exchange& exchange);
  const Plan& plan_of(const TokenRecord& record) const;
  static void check_business(const Exchange& exchange, const TokenRecord& record, const Plan& plan);
  QuotaClaim quota_of(const Principal& principal, const Plan& plan) const;
  asio::awaitable<void> perform(Exchange& exchange);
  asio::awaitable<void> perform_tracked(Exchange& exchange, std::string raw_body,
                                        const std::optional<storage::CommitPosition>& asked);
  void hold_body(Exchange& exchange, std::size_t expected, std::size_t arrived);
  std::shared_ptr<void> hold_answer(const Exchange& exchange, std::size_t size) const;
  ByteLimits::Holder holder(const Guid& business, std::string_view client) const;
  std::string_view client_of(const Request& request) const;
  bool is_tracked(const Exchange& exchange) const;
  void note_commits(Exchange& exchange, const storage::Commits& commits);
  asio::awaitable<void> perform_once(Exchange& exchange, std::string raw_body);
  asio::awaitable<void> call_handler(Exchange& exchange, std::string raw_body, Services& services,
                                     Response& response);
  std::string apply_error(Exchange& exchange, const std::exception_ptr& thrown);

  const Router& router_;
  Services& services_;
  Authenticator& authenticator_;
  const Plans& plans_;
  Quota& quota_;
  ByteLimits& bytes_;
  Options options_;
  const StandbyReads offload_;
  RequestIds request_ids_;
  RequestLog log_;
};

}  // namespace waybill::api
