#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "storage/unit_of_work.hpp"

namespace waybill::api {

/// The 2xx answer an earlier request with the same key got.
struct KeptAnswer {
  int status = 200;
  std::string body;
  std::string location;
};

/// One request under an Idempotency-Key. All that its handler writes to the database is one UnitOfWork, and
/// `keep` writes the answer as a part of it: work and answer are committed together, or neither is. After an
/// unclear commit the next request with the key finds the answer, or finds nothing and does the work.
///
/// The transaction holds the key; a second one is refused with CONFLICT and never waits. A transaction that
/// its API lost ends with its session: at once when the connection breaks, within 10 s when the API hangs. A
/// request that has not written yet holds its key against requests to the same process only; of two on
/// different nodes one commits, and the other gets that answer or CONFLICT.
///
/// Effects outside the database are not covered: a check of a store's or carrier's credentials, a question to
/// a geocoder. They are repeated when the request is. Mails go through the outbox, which is in the database.
/// Answers are kept for 24 h, sealed, as they may hold a secret that is shown once.
class IdempotentRequest {
 public:
  /// `request` is what must be the same when the key is used again: method, path and body.
  /// Throws Failure: CONFLICT when this process works on a request with the key; VALIDATION_ERROR for a key
  /// that is not 1 to 255 printable ASCII characters.
  IdempotentRequest(const Services& services, const Principal& principal, std::string_view key,
                    std::string_view request);
  ~IdempotentRequest();
  IdempotentRequest(const IdempotentRequest&) = delete;
  IdempotentRequest& operator=(const IdempotentRequest&) = delete;

  /// The answer of an earlier request. Throws Failure (CONFLICT) when the key belongs to another request.
  asio::awaitable<std::optional<KeptAnswer>> find() const;

  /// Takes the key for the transaction that the work is done in.
  storage::UnitOfWork::Opening opening() const;

  /// Writes the answer as a part of the work. Throws Failure (CONFLICT) when another request has the key.
  asio::awaitable<void> keep(storage::UnitOfWork& work, const KeptAnswer& answer) const;

 private:
  storage::Params identity() const;
  std::string purpose() const;
  std::string name() const { return token_id_ + ':' + key_; }

  const Services& services_;
  std::string business_id_;
  std::string token_id_;
  std::string key_;
  std::string request_hash_;
};

}  // namespace waybill::api
