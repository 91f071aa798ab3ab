#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "base/guid.hpp"
#include "storage/database/unit_of_work.hpp"

namespace waybill::api {

/// The 2xx answer to an earlier request with the same key.
struct KeptAnswer {
  int status = 200;
  std::string body;
  std::string location;
};

/// The business under which the answers to users are kept, because a user can change business.
inline constexpr Guid owner_of_sessions{};

/// The purpose with which the answer to a request of a token is sealed. `token` is the column `token_id`,
/// also if that has a user.
std::string kept_answer_purpose(const Guid& token, std::string_view key);

/// One request under an Idempotency-Key. The keys belong to the token; those in cookie sessions of a user
/// belong to the user, because the next session repeats what the last one has begun. All writes of its
/// handler are one UnitOfWork, and `keep` writes the answer as a part of it: both are committed together, or
/// neither is. After an unclear commit the next request with the key finds the answer, or finds none and does
/// the work.
///
/// The transaction holds the key; a second one does not wait and is refused with CONFLICT. An abandoned
/// transaction ends with its session: at once if the connection breaks, within 10 s if the API hangs. A
/// request that has not written yet holds its key against requests to the same process only; of two on
/// different nodes one commits, and the other gets its answer or CONFLICT.
///
/// Effects outside the database are not covered and are repeated with the request: a check of the credentials
/// of a store or carrier, a call to a geocoder. Mails go through the outbox, which is in the database.
/// Answers are kept for 24 h, encrypted, as they can have a secret that is shown once.
class IdempotentRequest {
 public:
  /// `request` has method, path and body, which must be the same for each use of the key. Throws Failure:
  /// CONFLICT while this process works on a request with the key; VALIDATION_ERROR for a key that is not 1 to
  /// 255 printable ASCII characters.
  IdempotentRequest(const Services& services, const Principal& principal, std::string_view key,
                    std::string_view request);
  ~IdempotentRequest();
  IdempotentRequest(const IdempotentRequest&) = delete;
  IdempotentRequest& operator=(const IdempotentRequest&) = delete;

  /// The answer to an earlier request. Throws Failure (CONFLICT) if the key belongs to another request.
  asio::awaitable<std::optional<KeptAnswer>> find() const;

  /// Returns the first statement of the work's transaction, which takes the key.
  storage::UnitOfWork::Opening opening() const;

  /// Writes the answer as a part of the work. Throws Failure (CONFLICT) if another request has the key.
  asio::awaitable<void> keep(storage::Database& work, const KeptAnswer& answer) const;

 private:
  std::string name() const;

  const Services& services_;
  Guid business_id_;  // or `owner_of_sessions`
  Guid token_id_;     // or the user, in cookie sessions
  std::string key_;
  std::array<std::uint8_t, 32> request_hash_;
};

}  // namespace waybill::api
